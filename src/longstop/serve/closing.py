"""The end of serving, for answers that would never end by themselves: streams hear of it and close."""

import asyncio

from longstop.clock import Clock


class Closing:
    def __init__(self) -> None:
        self._begun = asyncio.Event()

    def begin(self) -> None:
        self._begun.set()

    async def pause(self, clock: Clock, seconds: float) -> bool:
        """Waits so long, or until the end begins. True: it has begun."""
        try:
            async with clock.timeout(seconds):
                await self._begun.wait()
        except TimeoutError:
            return False
        return True
