"""Breaks payloads in the ways that the world breaks them, from a seed, so that a failing one can be made again."""

import random
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

import msgspec

_RAW = {
    "@huge": b"9" * 100_000,
    "@small": b"-" + b"9" * 400,
    "@fraction": b"1" * 300 + b"." + b"1" * 300,
    "@exponent": b"1e999",
    "@deep": b"[" * 2000 + b"]" * 2000,
    "@deeper": b'{"a":' * 2000 + b"1" + b"}" * 2000,
    "@surrogate": b'"\\ud800"',
    "@surrogates": b'"\\udc00\\ud800x"',
    "@nul": b'"a\\u0000b"',
    "@raw nul": b'"a\x00b"',
    "@not utf-8": b'"\xff\xfe"',
    "@twice": b'{"c":"CD","c":5,"d":"1/1(1","d":[]}',
    "@not a number": b"NaN",
    "@long": b'"' + b"x" * 100_000 + b'"',
}
_VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 5, 11, 99, 1000, 10**9, -(10**9), 2**31, 2**53 + 1, 2**63, 2**64, -(2**63), 1.5, -0.0,
    1e300, "", " ", "x", "0", "-1", "1.1", "XX", "CD.11", "999999/99(99999", "1/1(1", "0.0", "9999.9", "wd1", "closed",
    "E", "P", "..", "\u0000", "\u2028", "\u202e", "🏏" * 50, "é", "<script>alert(1)</script>", "' or 1=1 --",
    "../../etc/passwd", "IND won by 1 run", [], {}, [[]], [None], [1, "a"], {"a": {}}, {"": ""}, *_RAW,
)  # fmt: skip

Mutation = Callable[[random.Random, Any], bytes]


def mutants(seed: int, count: int, payload: Any) -> Iterator[bytes]:
    chance = random.Random(seed)
    for _ in range(count):
        yield chance.choice(_MUTATIONS)(chance, payload)


def _encoded(content: Any) -> bytes:
    body = msgspec.json.encode(content)
    for name, raw in _RAW.items():
        body = body.replace(b'"' + name.encode() + b'"', raw)
    return body


def _change_values(chance: random.Random, payload: Any) -> bytes:
    content = deepcopy(payload)
    for _ in range(chance.randint(1, 3)):
        holder, key = chance.choice(_places(content))
        holder[key] = deepcopy(chance.choice(_VALUES))
    return _encoded(content)


def _remove_parts(chance: random.Random, payload: Any) -> bytes:
    content = deepcopy(payload)
    for _ in range(chance.randint(1, 4)):
        if places := _places(content):
            holder, key = chance.choice(places)
            del holder[key]
    return _encoded(content)


def _shuffle_parts(chance: random.Random, payload: Any) -> bytes:
    """A value where another belongs: right types, wrong places."""
    content = deepcopy(payload)
    (one, first), (two, second) = chance.choice(_places(content)), chance.choice(_places(content))
    copied = deepcopy(one[first])
    one[first] = deepcopy(two[second])
    two[second] = copied
    return _encoded(content)


def _repeat_parts(chance: random.Random, payload: Any) -> bytes:
    content = deepcopy(payload)
    lists = [holder[key] for holder, key in _places(content) if isinstance(holder[key], list) and holder[key]]
    if lists:
        chosen = chance.choice(lists)
        chosen.extend(deepcopy(chosen[0]) for _ in range(chance.choice((1, 50, 300))))
    return _encoded(content)


def _nudge_numbers(chance: random.Random, payload: Any) -> bytes:
    body = bytearray(_encoded(payload))
    digits = [at for at, byte in enumerate(body) if 48 <= byte <= 57]
    for at in chance.choices(digits, k=3) if digits else ():
        body[at] = chance.randint(48, 57)
    return bytes(body)


def _flip_bytes(chance: random.Random, payload: Any) -> bytes:
    body = bytearray(_encoded(payload))
    for _ in range(chance.randint(1, 8)):
        body[chance.randrange(len(body))] = chance.randrange(256)
    return bytes(body)


def _cut(chance: random.Random, payload: Any) -> bytes:
    body = _encoded(payload)
    return body[: chance.randrange(len(body))]


def _stutter(chance: random.Random, payload: Any) -> bytes:
    body = _encoded(payload)
    start, end = sorted(chance.choices(range(len(body)), k=2))
    return body[:end] + body[start:]


def _double_keys(chance: random.Random, payload: Any) -> bytes:
    """The same key twice in one object: whichever a reader takes, it must not fall over."""
    other = _change_values(chance, payload)
    body = _encoded(payload)
    if body[:1] != b"{" or other[:1] != b"{" or len(other) < 3:
        return other
    return body[:-1] + b"," + other[1:]


_MUTATIONS: tuple[Mutation, ...] = (
    _change_values,
    _change_values,
    _change_values,
    _remove_parts,
    _shuffle_parts,
    _repeat_parts,
    _nudge_numbers,
    _flip_bytes,
    _cut,
    _stutter,
    _double_keys,
)


def _places(content: Any) -> list[tuple[Any, Any]]:
    """Every value below the top, as its holder and its key."""
    found: list[tuple[Any, Any]] = []
    todo = [content]
    while todo:
        holder = todo.pop()
        keys = list(holder) if isinstance(holder, dict) else range(len(holder))
        for key in keys:
            found.append((holder, key))
            if isinstance(holder[key], dict | list):
                todo.append(holder[key])
    return found
