import asyncio
import socket
import threading
from collections.abc import Sequence

import pytest

from longstop import virtual_time
from longstop.clock import LoopClock, SystemClock, from_millis
from longstop.domain.errors import EgressRefusedError, SourceUnreachableError
from longstop.fetch.egress.guard import rules_for
from longstop.fetch.egress.resolver import PinLimits, PinnedResolver, SystemLookup

GOOD, OTHER = "93.184.216.34", "1.1.1.1"
RULES = rules_for("crex", "https://site.example")


class Names:
    """A resolver whose answers change from one question to the next."""

    def __init__(self, *answers: Sequence[str] | Exception) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    async def __call__(self, host: str) -> Sequence[str]:
        self.asked.append(host)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


def resolver_of(names: Names, rules=RULES, limits: PinLimits | None = None) -> PinnedResolver:
    return PinnedResolver(rules, names, LoopClock(from_millis(0)), limits)


async def found_by(resolver: PinnedResolver, host: str = "site.example") -> list[str]:
    return [str(each["host"]) for each in await resolver.resolve(host, 443)]


async def test_a_name_is_asked_for_once_for_all_who_wait() -> None:
    names = Names([GOOD])
    resolver = resolver_of(names)
    found = await asyncio.gather(*(found_by(resolver) for _ in range(50)))
    assert found == [[GOOD]] * 50
    assert names.asked == ["site.example"]


@pytest.mark.req("D3")
@pytest.mark.parametrize(
    "bad",
    ["127.0.0.1", "10.0.0.5", "169.254.169.254", "::1", "::ffff:10.0.0.1", "64:ff9b::a00:1", "0.0.0.0", "fe80::1"],
)
def test_a_name_that_turns_to_a_forbidden_address_is_refused(bad: str) -> None:
    async def scene() -> None:
        names = Names([GOOD], [bad])
        resolver = resolver_of(names)
        assert await found_by(resolver) == [GOOD]
        await asyncio.sleep(59)
        assert await found_by(resolver) == [GOOD]
        await asyncio.sleep(2)
        with pytest.raises(EgressRefusedError) as thrown:
            await found_by(resolver)
        assert thrown.value.reason == "address"
        with pytest.raises(EgressRefusedError):
            await found_by(resolver)

    virtual_time.run(scene())


async def test_of_good_and_bad_addresses_only_the_good_are_given() -> None:
    assert await found_by(resolver_of(Names(["10.0.0.1", GOOD, "::1", "junk", OTHER]))) == [GOOD, OTHER]


async def test_a_name_that_nobody_named_is_never_looked_up() -> None:
    names = Names([GOOD])
    for host in ("evil.example", "127.1", "2130706433", "site.example."):
        with pytest.raises(EgressRefusedError):
            await resolver_of(names).resolve(host, 443)
    with pytest.raises(EgressRefusedError):
        await resolver_of(names).resolve("site.example", 6379)
    assert names.asked == []


def test_the_last_good_address_serves_while_the_resolver_fails_but_not_for_ever() -> None:
    async def scene() -> None:
        names = Names([GOOD], socket.gaierror(-3, "temporary"))
        resolver = resolver_of(names)
        assert await found_by(resolver) == [GOOD]
        for _ in range(12):
            await asyncio.sleep(61)
            assert await found_by(resolver) == [GOOD]
        await asyncio.sleep(300)
        with pytest.raises(SourceUnreachableError, match=r"site\.example"):
            await found_by(resolver)

    virtual_time.run(scene())


def test_a_failing_resolver_is_not_asked_for_each_call() -> None:
    async def scene() -> None:
        names = Names([GOOD], OSError())
        resolver = resolver_of(names)
        await found_by(resolver)
        await asyncio.sleep(61)
        for _ in range(20):
            await found_by(resolver)
        assert len(names.asked) == 2

    virtual_time.run(scene())


def test_a_resolver_that_hangs_ends_at_its_own_deadline() -> None:
    async def hang(host: str) -> Sequence[str]:
        await asyncio.Event().wait()
        raise AssertionError

    async def scene() -> None:
        resolver = PinnedResolver(RULES, hang, LoopClock(from_millis(0)))
        began = asyncio.get_running_loop().time()
        with pytest.raises(SourceUnreachableError):
            await found_by(resolver)
        assert asyncio.get_running_loop().time() - began == pytest.approx(3.0, abs=0.01)

    virtual_time.run(scene())


def test_a_waiter_that_is_cancelled_does_not_hold_up_the_others() -> None:
    gate = asyncio.Event()

    async def slow(host: str) -> Sequence[str]:
        await gate.wait()
        return [GOOD]

    async def scene() -> None:
        resolver = PinnedResolver(RULES, slow, LoopClock(from_millis(0)))
        first, second = (asyncio.create_task(found_by(resolver)) for _ in range(2))
        await asyncio.sleep(0.1)
        first.cancel()
        gate.set()
        assert await second == [GOOD]

    virtual_time.run(scene())


@pytest.mark.parametrize("host", ["localhost", "origin", "site.internal"])
async def test_a_name_of_ones_own_house_may_lead_inside(host: str) -> None:
    rules = rules_for("crex", f"http://{host}:9000")
    assert await found_by_port(PinnedResolver(rules, Names(["10.0.0.9", "127.0.0.1"]), SystemClock()), host, 9000) == [
        "10.0.0.9",
        "127.0.0.1",
    ]
    with pytest.raises(EgressRefusedError):
        await PinnedResolver(rules, Names(["169.254.169.254"]), SystemClock()).resolve(host, 9000)


async def found_by_port(resolver: PinnedResolver, host: str, port: int) -> list[str]:
    return [str(each["host"]) for each in await resolver.resolve(host, port)]


async def test_a_public_name_leads_inside_only_to_an_address_that_is_named() -> None:
    rules = rules_for("crex", "https://site.example", (), ("10.0.0.9",))
    resolver = PinnedResolver(rules, Names(["10.0.0.9", "10.0.0.10"]), SystemClock())
    assert await found_by(resolver) == ["10.0.0.9"]


async def test_a_name_without_an_address_is_an_unreachable_source() -> None:
    with pytest.raises(SourceUnreachableError, match="no address"):
        await found_by(resolver_of(Names([])))


async def test_the_family_that_is_asked_for_is_given() -> None:
    resolver = resolver_of(Names([GOOD, "2606:4700::1111"]))
    found = await resolver.resolve("site.example", 443, socket.AF_INET6)
    assert [each["host"] for each in found] == ["2606:4700::1111"]


async def test_the_machines_own_resolver_leaves_no_thread_behind() -> None:
    lookup = SystemLookup()
    assert "127.0.0.1" in await lookup("localhost")
    threads = [each for each in threading.enumerate() if each.name.startswith("lookup")]
    lookup.close()
    lookup.close()
    assert threads
    for thread in threads:
        await asyncio.to_thread(thread.join, 2.0)
        assert not thread.is_alive()
