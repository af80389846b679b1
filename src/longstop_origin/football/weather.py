"""What befalls a visit of the simulated football site, drawn from a seed: the same seed, the same misfortunes."""

from collections.abc import Iterable
from random import Random

from msgspec import Struct

from longstop_origin.football.callers import Callers

CALM, SLOW, UNREACHABLE, EXIT_FAILED, BANNED, EMPTY = "calm", "slow", "unreachable", "exit failed", "banned", "empty"
DOWN = "down"
BAN_SECONDS = 1800.0
USUAL_SECONDS = (0.2, 2.5)


class Spell(Struct, frozen=True):
    """From `begins` to `ends`, in seconds since 1970, this share of all visits meets `kind`."""

    kind: str
    begins: float
    ends: float
    share: float = 1.0


class Weather(Struct, frozen=True, kw_only=True):
    """Shares of single visits; spells lie over them."""

    slow: float = 0.0
    unreachable: float = 0.0
    exit_failed: float = 0.0
    banned: float = 0.0
    empty: float = 0.0
    spells: tuple[Spell, ...] = ()

    def draw(self, now: float, rng: Random) -> str:
        for spell in self.spells:
            if spell.begins <= now < spell.ends and rng.random() < spell.share:
                return spell.kind
        chance = rng.random()
        for kind, share in self._shares():
            if chance < share:
                return kind
            chance -= share
        return CALM

    def _shares(self) -> tuple[tuple[str, float], ...]:
        return (
            (SLOW, self.slow),
            (UNREACHABLE, self.unreachable),
            (EXIT_FAILED, self.exit_failed),
            (BANNED, self.banned),
            (EMPTY, self.empty),
        )


FAIR = Weather()
ROUGH = Weather(slow=0.04, unreachable=0.03, exit_failed=0.02, banned=0.02, empty=0.02)


def ban_wave(callers: Callers, addresses: Iterable[str], percent: float, until: float) -> list[str]:
    """The site bans so many of them at once, whether they have come already or not."""
    hit = callers.share_of(addresses, percent, f"wave until {until:.0f}")
    callers.ban(hit, until)
    return hit
