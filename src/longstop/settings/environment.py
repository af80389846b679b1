"""Settings from environment variables.

An environment is shared with strangers. Names that begin like ours are ours, so an unknown one is a mistake. Elsewhere
only a near miss of a documented name is one: ENABLE_FOO may belong to anybody, POLING_INTERVAL_SECONDS hardly does.
"""

import re
from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher

from longstop.settings.faults import Origin, Rank
from longstop.settings.keys import OWN_PREFIX, Catalog, Key
from longstop.settings.kinds import Unusable, read_text
from longstop.settings.layers import Given, Layer
from longstop.settings.suggest import is_name, nearest, stem

FILE_VARIABLE = "LONGSTOP_CONFIG"
OWN_PREFIXES = (OWN_PREFIX, "SCRAPER_", "CIRCUIT_BREAKER_", "IPROYAL_")
# Variables that only our own tests read.
TEST_PREFIXES = ("LONGSTOP_TEST_", "LONGSTOP_SHARED_DATA")
# Ours, and in our own environment while a browser's driver starts: a reload in that moment must not stumble over it.
MARK_VARIABLE = "LONGSTOP_MARK"
MISS_LIKENESS = 0.88
LONG_NAME = 14

# Kubernetes and Docker describe a neighbour called `scraper` or `prometheus` in variables of these shapes.
_SERVICE_LINK = re.compile(
    r"[A-Z0-9_]+_(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)"
)
_LINK_VALUE = re.compile(r"(tcp|udp|sctp)://")


def read_environment(environ: Mapping[str, str], catalog: Catalog) -> Layer:
    """Every variable that is ours, and every one that seems to be meant for us and is not."""
    layer = Layer()
    for key in catalog.keys.values():
        _read_key(layer, key, environ)
    documented = [key.documented_name for key in catalog.keys.values() if key.documented_name]
    for name in sorted(environ):
        if name not in catalog.names and not _is_service_link(name, environ[name]):
            _judge_unknown(layer, name, catalog, documented)
    return layer


def _read_key(layer: Layer, key: Key, environ: Mapping[str, str]) -> None:
    found: dict[str, object] = {}
    for name in key.names:
        if name not in environ:
            continue
        try:
            found[name] = read_text(key.kind, environ[name])
        except Unusable as wrong:
            layer.refuse_value(_variable(name), key, _explained(wrong, environ[name]))
    if not found:
        return
    first, *others = found
    layer.given[key.path] = Given(found[first], _variable(first))
    for other in others:
        if found[other] != found[first]:
            layer.refuse(
                _variable(first), key.path, f"{other} gives the same setting another value", "set only one of them"
            )


def _explained(wrong: Unusable, text: str) -> Unusable:
    if not _LINK_VALUE.match(text):
        return wrong
    return Unusable("holds a Kubernetes service address", "and set enableServiceLinks: false")


def _judge_unknown(layer: Layer, name: str, catalog: Catalog, documented: list[str]) -> None:
    if name in (FILE_VARIABLE, MARK_VARIABLE) or name.startswith(TEST_PREFIXES):
        return
    if name.upper().startswith(OWN_PREFIXES):
        meant = nearest(name, catalog.names, likeness=0.75)
    else:
        meant = _near_miss(name, documented)
        if meant is None:
            return
    shown = name if is_name(name) else ascii(name[:40])[1:-1]
    remedy = f"did you mean {meant}" if meant else "unset it, or look up its name in docs/settings.md"
    layer.refuse(Origin(Rank.ENVIRONMENT, shown), "", "is not a setting", remedy)


def _near_miss(name: str, documented: Iterable[str]) -> str | None:
    """The documented name that a foreign one misses by a letter or two, or by its unit."""
    name = name.upper()
    meant = [known for known in documented if _may_be_meant(name, known) and _are_alike(stem(name), stem(known))]
    return max(meant, key=lambda known: SequenceMatcher(None, name, known).ratio(), default=None)


def _may_be_meant(name: str, known: str) -> bool:
    """Cheap questions first: an environment may be long. A short name must at least begin like ours."""
    is_ours = len(name) >= LONG_NAME or name.partition("_")[0] == known.partition("_")[0]
    return is_ours and abs(len(stem(name)) - len(stem(known))) <= 3


def _are_alike(name: str, known: str) -> bool:
    matcher = SequenceMatcher(None, name, known)
    return matcher.quick_ratio() >= MISS_LIKENESS and matcher.ratio() >= MISS_LIKENESS


def _is_service_link(name: str, value: str) -> bool:
    return _SERVICE_LINK.fullmatch(name) is not None or (
        name.endswith("_PORT") and _LINK_VALUE.match(value) is not None
    )


def _variable(name: str) -> Origin:
    return Origin(Rank.ENVIRONMENT, name)
