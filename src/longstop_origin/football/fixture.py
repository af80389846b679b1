"""One match of the calendar: when it is to begin, which may change, and when its line-ups come out."""

from collections.abc import Sequence
from string import ascii_letters

from msgspec import Struct

from longstop_origin.football.people import Club, Competition
from longstop_origin.football.play import Play
from longstop_origin.football.sheets import Sheet
from longstop_origin.naming import slug

PLAYED, POSTPONED, CANCELLED = "played", "postponed", "cancelled"
ABSENT, BARE, EMPTY, PREDICTED, CONFIRMED = "absent", "bare", "empty", "predicted", "confirmed"
# What a site shows of line-ups that are not published: nothing, one word, no byte, or a guess.
UNPUBLISHED = (ABSENT, BARE, EMPTY, PREDICTED)
NEVER = float("inf")
FIRST_CUSTOM_ID = 11_000_000
ANNOUNCED_BEFORE_SECONDS = 14 * 86_400


class Announcement(Struct, frozen=True):
    """From `at` on the site tells this kickoff."""

    at: float
    kickoff: float


class Story(Struct, frozen=True):
    """What never changes about a match, each in the state in which it will have been."""

    id: int
    competition: Competition
    round: int
    home: Club
    away: Club
    sheets: dict[str, Sheet]
    guesses: dict[str, Sheet]
    play: Play

    @property
    def custom_id(self) -> str:
        """Short letters, as the site writes them in its pages' addresses."""
        digits, rest = "", self.id * 7 + FIRST_CUSTOM_ID
        while rest:
            rest, letter = divmod(rest, len(ascii_letters))
            digits = ascii_letters[letter] + digits
        return digits

    @property
    def slug(self) -> str:
        return slug(self.home.name, self.away.name)

    @property
    def page(self) -> str:
        return f"/football/match/{self.slug}/{self.custom_id}#id:{self.id}"


class Plan(Struct, frozen=True, kw_only=True):
    """Drawn from the seed: `lead` is how long before the kickoff the line-ups come out, negative for after it."""

    lead: float
    before: str = ABSENT
    guessed: float = 6 * 3600.0
    fate: str = PLAYED
    fate_before: float = 5 * 3600.0
    moves: tuple[Announcement, ...] = ()


class Fixture:
    """Changes only by what is told to it from outside; everything else follows from the moment that is asked about."""

    def __init__(self, story: Story, kickoff: float, plan: Plan) -> None:
        self.story, self.plan = story, plan
        self._told: list[Announcement] = [Announcement(kickoff - ANNOUNCED_BEFORE_SECONDS, kickoff), *plan.moves]
        self._published: float | None = None
        self._fate: tuple[str, float] | None = None

    @property
    def id(self) -> int:
        return self.story.id

    @property
    def announcements(self) -> Sequence[Announcement]:
        return tuple(self._told)

    @property
    def final_kickoff(self) -> float:
        return self._told[-1].kickoff

    def announced(self, at: float) -> Announcement:
        """What the site says at that moment."""
        return next((each for each in reversed(self._told) if each.at <= at), self._told[0])

    def kickoff(self, at: float) -> float:
        return self.announced(at).kickoff

    @property
    def published_at(self) -> float:
        """When the line-ups are confirmed. What is never played never has any."""
        if self._published is not None:
            return self._published
        if self.fate != PLAYED:
            return NEVER
        return max(self.final_kickoff - self.plan.lead, self._told[-1].at + 60 if len(self._told) > 1 else 0)

    @property
    def fate(self) -> str:
        return self._fate[0] if self._fate else self.plan.fate

    def fate_at(self) -> float:
        """When the site says that it is off; NEVER when it is played."""
        if self._fate:
            return self._fate[1]
        return NEVER if self.plan.fate == PLAYED else self.final_kickoff - self.plan.fate_before

    def is_off(self, at: float) -> bool:
        return at >= self.fate_at()

    def offset(self, at: float) -> float:
        """Seconds since the kickoff that was announced last; negative before it."""
        return at - self.kickoff(at)

    @property
    def ends_at(self) -> float:
        return self.final_kickoff + self.story.play.ends

    def lineup_kind(self, at: float) -> str:
        if at >= self.published_at:
            return CONFIRMED
        is_guessed = self.final_kickoff - at <= self.plan.guessed
        return self.plan.before if self.plan.before != PREDICTED or is_guessed else ABSENT

    # Told from outside

    def move(self, kickoff: float, at: float) -> None:
        """Line-ups that are out stay out. Raises ValueError where no site would do it."""
        if at >= self.kickoff(at) or kickoff <= at or self.is_off(at):
            raise ValueError("only a match that has not begun can be moved, and only into the future")
        if self.published_at <= at:
            self._published = self.published_at
        self._told = [each for each in self._told if each.at <= at]
        self._told.append(Announcement(at, kickoff))

    def publish(self, at: float) -> None:
        self._published = min(self.published_at, at)

    def call_off(self, fate: str, at: float) -> None:
        """Postponed or cancelled, from now on."""
        if at >= self.kickoff(at):
            raise ValueError("a match that has begun is not called off")
        self._fate = (fate, at)
