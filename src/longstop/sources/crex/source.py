"""The vendor's parts behind the one contract."""

import re
import tomllib
from collections.abc import Sequence
from importlib import resources
from urllib.parse import SplitResult, urlsplit

import msgspec

from longstop.domain.cricket import OverReport
from longstop.domain.errors import InputError, MalformedPayloadError, SettingsError
from longstop.domain.match import MatchListing, MatchRef, Names, require_safe_key
from longstop.domain.observation import Observation
from longstop.fetch.snapshot import FetchRequest, Snapshot
from longstop.sources.contract import Feed, Manifest, Missing, PageReading, Reading
from longstop.sources.crex import dom, parser, reading, requests

_MATCH_PATH = re.compile(r"/cricket-live-score/(?:[A-Za-z0-9-]*-)?match-updates-(?P<key>[A-Za-z0-9]+)/?")
_PORTS = {"http": 80, "https": 443}
_OLD_PATH = re.compile(r"/scoreboard/(?P<key>[A-Za-z0-9]+)/.+")
_URL_LENGTH_MAX = 500
_NO_NAMES = Names()


def load_manifest() -> Manifest:
    return read_manifest(resources.files(__package__).joinpath("manifest.toml").read_text(encoding="utf-8"))


def read_manifest(text: str) -> Manifest:
    try:
        manifest = msgspec.convert(tomllib.loads(text), Manifest)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise SettingsError(
            f"The manifest of the source cannot be read: {error}.", hint="Correct its manifest.toml."
        ) from error
    dom.require_selectors(manifest.dom)
    return manifest


class CrexSource:
    """Holds nothing but the address; every method is a pure function of its arguments."""

    def __init__(self, base_url: str | None = None) -> None:
        self.manifest = load_manifest()
        self._base_url = (base_url or self.manifest.base_url).rstrip("/")

    @property
    def base_url(self) -> str:
        return self._base_url

    def list_matches(self) -> FetchRequest:
        return requests.match_list(self._base_url)

    def parse_list(self, snapshot: Snapshot) -> tuple[MatchListing, ...]:
        return parser.parse_list(self._base_url, snapshot)

    def live_state(self, ref: MatchRef) -> FetchRequest:
        return requests.live_state(self._base_url, ref)

    def parse_state(self, ref: MatchRef, snapshot: Snapshot) -> Observation:
        if snapshot.rung == "dom" or dom.is_page(snapshot.body):
            reading = self.parse_page(ref, snapshot)
            return msgspec.structs.replace(reading.observation, matched=tuple(sorted(reading.matched.items())))
        return parser.parse_state(ref, snapshot)

    def parse_page(self, ref: MatchRef, snapshot: Snapshot, names: Names = _NO_NAMES) -> PageReading:
        """`names` help where neither the page's markup nor its state tells the codes of the teams."""
        return dom.parse_page(ref, snapshot, self.manifest.dom, names)

    def ball_feed(self, ref: MatchRef, missing: Missing) -> FetchRequest:
        return requests.ball_feed(self._base_url, ref, missing)

    def parse_feed(self, ref: MatchRef, missing: Missing, snapshot: Snapshot) -> Feed:
        """Every over that was asked for and is begun is in the answer; one without balls is known to be empty."""
        feed = parser.parse_feed(ref, snapshot)
        if feed.inning != missing.innings:
            raise MalformedPayloadError(f"The ball feed is of innings {feed.inning}, not of {missing.innings}.")
        shown = {over.o: parser.read_over(missing.innings, over) for over in feed.rb}
        wanted = range(missing.first_over, min(missing.last_over, feed.last) + 1)
        return Feed(
            overs=tuple(shown.get(over) or OverReport(missing.innings, over, ()) for over in wanted),
            last_over=feed.last,
            sequence=feed.sq,
            payload_sha256=snapshot.sha256(),
        )

    def names_for(self, players: Sequence[str], teams: Sequence[str], series: Sequence[str] = ()) -> FetchRequest:
        return requests.names(self._base_url, players, teams, series)

    def parse_names(self, snapshot: Snapshot) -> Names:
        return parser.parse_names(snapshot)

    def match_for_url(self, url: str) -> MatchRef:
        """Only the path is kept: what a person pastes may carry a password or a session behind it."""
        try:
            parts = urlsplit(url) if len(url) <= _URL_LENGTH_MAX else urlsplit("")
            is_ours = parts.scheme in ("http", "https") and "@" not in parts.netloc and self._is_ours(parts)
        except ValueError:  # half a bracket, a host that no standard allows
            is_ours, parts = False, urlsplit("")
        found = _MATCH_PATH.fullmatch(parts.path) or _OLD_PATH.fullmatch(parts.path)
        if not is_ours or not found:
            raise InputError(
                f"{url[:120]!r} is no match page of {self.manifest.name}.",
                hint=f"It looks like {self._base_url}/cricket-live-score/<title>-match-updates-<KEY>.",
            )
        page = f"{parts.scheme}://{parts.netloc}{parts.path}"
        return MatchRef(self.manifest.name, require_safe_key(found["key"]), page)

    def _is_ours(self, parts: SplitResult) -> bool:
        """The port too: behind another one on the same machine is something else."""
        base, host = urlsplit(self._base_url), parts.hostname or ""
        if host == base.hostname and _port(parts) == _port(base):
            return True
        is_of_site = host in self.manifest.hosts or host.removeprefix("www.") in self.manifest.hosts
        return is_of_site and _port(parts) == _PORTS[parts.scheme]

    def read(self, snapshot: Snapshot) -> Reading:
        return reading.read(self._base_url, snapshot)


def _port(parts: SplitResult) -> int | None:
    """Raises a ValueError for what is none."""
    return parts.port or _PORTS.get(parts.scheme)
