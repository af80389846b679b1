"""How whole is what was captured? Counted over the fields that features are made of."""

from collections.abc import Iterator

from longstop.domain.capture import CaptureIntegrity
from longstop.domain.football import STARTERS, LineUps, MatchReport, Side, TeamSheet

Field = tuple[str, bool]
_DIGITS = 4


def integrity(report: MatchReport) -> CaptureIntegrity:
    """A rating is missed only where others have one: before a match nobody has."""
    lineups = report.lineups or LineUps(is_confirmed=False)
    fields = [field for side, sheet in _both(lineups) for field in _fields(side, sheet, lineups)]
    empty = sum(not is_told for _, is_told in fields)
    missing = lineups.starters_missing
    return CaptureIntegrity(
        null_field_rate=round(empty / len(fields), _DIGITS),
        missing_required_fields=tuple(_missing(report, lineups)),
        xi_missing=int(missing > 0),
        starters_missing=missing,
        flags=tuple(_flags(report, lineups)),
    )


def _both(lineups: LineUps) -> tuple[tuple[Side, TeamSheet | None], ...]:
    return ((Side.HOME, lineups.home), (Side.AWAY, lineups.away))


def _fields(side: Side, sheet: TeamSheet | None, lineups: LineUps) -> Iterator[Field]:
    """Of a starter who is not told everything is missing."""
    starters = sheet.starters[:STARTERS] if sheet is not None else ()
    yield f"{side.value}.formation", sheet is not None and bool(sheet.formation)
    yield f"{side.value}.captain", any(player.is_captain for player in starters)
    for place in range(STARTERS):
        player = starters[place] if place < len(starters) else None
        yield f"{side.value}.xi[{place}]", player is not None
        yield f"{side.value}.xi[{place}].position", player is not None and bool(player.position)
        yield f"{side.value}.xi[{place}].shirt_number", player is not None and player.shirt is not None
        if lineups.has_ratings:
            yield f"{side.value}.xi[{place}].rating", player is not None and player.form is not None


def _missing(report: MatchReport, lineups: LineUps) -> Iterator[str]:
    """What a line-up cannot do without; a short list."""
    if report.event is None:
        yield "event"
    if report.lineups is None:
        yield "lineups"
        return
    for side, sheet in _both(lineups):
        if sheet is None or len(sheet.starters) < STARTERS:
            yield f"lineups.{side.value}.xi"
        if sheet is not None and lineups.is_confirmed and not sheet.formation:
            yield f"lineups.{side.value}.formation"


def _flags(report: MatchReport, lineups: LineUps) -> Iterator[str]:
    told = (
        (report.lineups is None, "lineups_missing"),
        (not lineups.is_confirmed, "unconfirmed"),
        (not lineups.sheets, "empty"),
        (lineups.starters_missing > 0, "xi_missing"),
        (not lineups.has_ratings, "no_ratings"),
    )
    return (flag for is_so, flag in told if is_so)
