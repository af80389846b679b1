"""The recipes of one source: who asks gets the newest, and only one browser at a time is sent for the next.

An aging recipe goes on serving while its successor is learnt beside it. A refused one is learnt again before the
call is repeated, once.
"""

import asyncio
from collections.abc import Awaitable, Callable

import msgspec

from longstop.clock import Clock
from longstop.domain.errors import FetchError, SourceRefusedError
from longstop.fetch.recipe import Recipe, Ripeness
from longstop.fetch.snapshot import STATE, FetchRequest
from longstop.observe import signals
from longstop.observe.signals import Signals

Learn = Callable[[FetchRequest], Awaitable[Recipe]]
Keep = Callable[[Recipe], Awaitable[None]]


class BookOptions(msgspec.Struct, frozen=True):
    """A failed lesson is not repeated at once: the site may be down, and a browser is dear. Nobody waits for one longer
    than `wait_seconds`; it goes on without them, since a slow site needs its time. What was learnt less than
    `again_after_seconds` ago is not learnt again for having run out. A recipe that brought something
    unreadable is doubted only when it is older than `doubt_after_seconds`: the next one would bring the same. A site
    that refuses even what its page just did takes it from nobody else: there is no lesson for `useless_seconds`, then
    for twice as long each time.
    """

    wait_seconds: float = 12.0
    lesson_seconds: float = 120.0
    pause_after_failure_seconds: float = 5.0
    again_after_seconds: float = 3.0
    useless_seconds: float = 60.0
    useless_seconds_max: float = 600.0
    doubt_after_seconds: float = 30.0


class RecipeBook:
    """`learn` opens a browser, `keep` stores what it found; both are handed in."""

    def __init__(
        self, source: str, learn: Learn, keep: Keep, clock: Clock, bus: Signals, options: BookOptions = BookOptions()
    ) -> None:
        self._source = source
        self._learn = learn
        self._keep = keep
        self._clock = clock
        self._bus = bus
        self._options = options
        self._recipe: Recipe | None = None
        self._lesson: asyncio.Task[Recipe] | None = None
        self._not_before = 0.0
        self._learnt_at = float("-inf")
        self._useless_until = float("-inf")
        self._useless_times = 0
        self._seen: FetchRequest | None = None
        self.lessons = 0

    @property
    def recipe(self) -> Recipe | None:
        return self._recipe

    def restore(self, recipe: Recipe) -> None:
        """From the store, after a restart: good as long as it has not run out."""
        if recipe.purpose == STATE and recipe.ripeness(self._clock.now()) is not Ripeness.EXPIRED:
            self._recipe = recipe

    def current(self, request: FetchRequest) -> Recipe | None:
        """The recipe to use now; sends for the next one when this one is about to run out."""
        if request.page:
            self._seen = request
        if self._recipe is None:
            return None
        ripeness = self._recipe.ripeness(self._clock.now())
        if ripeness is not Ripeness.FRESH and not self._is_just_learnt:
            self._begin(request, "it runs out")
        return None if ripeness is Ripeness.EXPIRED else self._recipe

    async def renew(self, request: FetchRequest, refused: Recipe | None, reason: str) -> Recipe:
        """A recipe that is not the refused one. Everybody who waits gets the outcome of the same lesson."""
        known = self._recipe
        is_expired = known is not None and known.ripeness(self._clock.now()) is Ripeness.EXPIRED
        if known is not None and known is not refused and not is_expired:
            return known
        lesson = None if is_expired and self._is_just_learnt else self._begin(request, reason)
        if lesson is None:
            raise SourceRefusedError(f"Access to {self._source} was refused, and learning it anew was just tried.")
        try:
            async with self._clock.timeout(self._options.wait_seconds):
                return await asyncio.shield(lesson)
        except TimeoutError as error:
            raise SourceRefusedError(f"Learning how to call {self._source} takes long.") from error

    @property
    def is_useless(self) -> bool:
        """Whether this site takes the call from its page only, as far as is known now."""
        return self._clock.monotonic() < self._useless_until

    @property
    def _is_just_learnt(self) -> bool:
        return self._clock.monotonic() - self._learnt_at < self._options.again_after_seconds

    def served(self) -> None:
        """The recipe was good for a call."""
        self._useless_times = 0
        self._useless_until = float("-inf")

    def reject(self) -> None:
        """A recipe that was learnt for this very call was refused as well, and not by chance."""
        options = self._options
        pause = min(options.useless_seconds * 2**self._useless_times, options.useless_seconds_max)
        self._useless_times = min(self._useless_times + 1, 10)
        self._useless_until = self._clock.monotonic() + pause

    def doubt(self) -> None:
        """What the recipe brings cannot be read: perhaps the page is called otherwise now. The old one goes on."""
        age = self._clock.monotonic() - self._learnt_at
        if self._recipe is not None and self._seen is not None and age > self._options.doubt_after_seconds:
            self._begin(self._seen, "its answer cannot be read")

    async def close(self) -> None:
        if self._lesson is not None and not self._lesson.done():
            self._lesson.cancel()
            await asyncio.gather(self._lesson, return_exceptions=True)

    def _begin(self, request: FetchRequest, reason: str) -> asyncio.Task[Recipe] | None:
        """A call without a page, such as that for names, is served by what the page of any match teaches."""
        teacher = request if request.page else self._seen
        if self._lesson is not None and not self._lesson.done():
            return self._lesson
        if teacher is None or self.is_useless or self._clock.monotonic() < self._not_before:
            return None
        self._lesson = asyncio.create_task(self._take_lesson(teacher, reason), name=f"lesson {self._source}")
        self._lesson.add_done_callback(_look_at)
        return self._lesson

    async def _take_lesson(self, request: FetchRequest, reason: str) -> Recipe:
        began = self._clock.monotonic()
        self.lessons += 1
        try:
            async with self._clock.timeout(self._options.lesson_seconds):
                recipe = await self._learn(request)
        except (FetchError, TimeoutError) as error:
            self._not_before = self._clock.monotonic() + self._options.pause_after_failure_seconds
            if isinstance(error, TimeoutError):
                raise SourceRefusedError(f"Learning how to call {self._source} took too long.") from error
            raise
        self._recipe = recipe
        self._learnt_at = self._clock.monotonic()
        self._bus.emit(
            signals.RecipeLearnt(
                at=self._clock.now(),
                source=self._source,
                purpose=recipe.purpose,
                reason=reason,
                duration_seconds=self._clock.monotonic() - began,
            )
        )
        await self._keep(recipe)
        return recipe


def _look_at(lesson: "asyncio.Task[Recipe]") -> None:
    """A lesson nobody waited for may fail quietly: the next call finds out by itself."""
    if not lesson.cancelled():
        lesson.exception()
