"""Bodies that are no payload: errors told as JSON, pages, challenges. Known by structure, not by words."""

from collections.abc import Mapping
from typing import Any

import msgspec

from longstop.domain.challenges import challenge_in
from longstop.domain.errors import ErrorAnswerError

_BY_CODE = {401: "refused", 403: "refused", 404: "not_found", 410: "not_found", 429: "throttled"}
_WORDS_MAX = 80
_PAGE_STATE = b'id="__NEXT_DATA__"'


def require_no_error(content: object) -> None:
    """`{"error": {"code": 403, "reason": "challenge"}}` and the like."""
    told = content.get("error") if isinstance(content, dict) else None
    if isinstance(told, dict) and told.keys() & {"code", "reason", "message"}:
        raise _error_answer(told)


def _error_answer(told: Mapping[str, Any]) -> ErrorAnswerError:
    code = told.get("code")
    words = told.get("reason") or told.get("message") or ""
    shown = f"{words[:_WORDS_MAX]!r}" if isinstance(words, str) and words else "no reason"
    number = code if isinstance(code, int) and not isinstance(code, bool) and 0 <= code < 1000 else None
    return ErrorAnswerError(
        f"The answer is an error: {'no code' if number is None else number}, {shown}.", verdict=_class(number, words)
    )


def _class(code: int | None, words: object) -> str:
    if isinstance(words, str) and words.strip().lower() == "challenge":
        return "challenge"
    if code is not None and 500 <= code < 600:
        return "failing"
    return _BY_CODE.get(code or 0, "error")


def require_no_challenge(body: bytes) -> None:
    """A page that only a challenge has the parts of. One that carries the site's own state is never one."""
    if _PAGE_STATE not in body and challenge_in(body) is not None:
        raise ErrorAnswerError("The answer is a challenge page.", verdict="challenge")


def page_state(body: bytes) -> object:
    """What a page of the site carries in its script; None when it carries nothing that can be read."""
    _, found, rest = body.partition(_PAGE_STATE)
    _, opened, rest = rest.partition(b">")
    state, closed, _ = rest.partition(b"</script>")
    if not (found and opened and closed):
        return None
    try:
        content = msgspec.json.decode(state)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    props = content.get("props") if isinstance(content, dict) else None
    inside = props.get("pageProps") if isinstance(props, dict) else None
    return inside.get("initialProps", inside) if isinstance(inside, dict) else None
