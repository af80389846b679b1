"""The settings of the sources: which are on, and how gently each is asked."""

from pydantic import SecretStr, field_validator

from longstop.settings.addresses import is_host, require_plain_site
from longstop.settings.keys import Count, Group, Seconds, setting

DAY = 86400


class RateLimitSettings(Group):
    """The most that a source is asked."""

    max_concurrent_contexts: Count = setting(20, "Calls at the same time.", ge=1, le=1000)
    min_interval_seconds: Seconds = setting(
        1.0, "Least time between two calls when the burst is used up.", ge=0, le=3600
    )
    burst_allowance: Count = setting(30, "Calls that may come at once after a quiet time.", ge=1, le=10000)


class ProfileSettings(Group):
    """The visitor that its pages see. It must fit together, and with where its calls come from."""

    locale: str = setting("en-GB", "Language and country, for example pt-BR.")
    time_zone: str = setting("Europe/London", "Its time zone.")
    width: Count = setting(1280, "Width of the window.", ge=200, le=8000)
    height: Count = setting(720, "Height of the window.", ge=200, le=8000)
    place: str = setting("", "Where it says it is: latitude, longitude; empty tells no page.")

    @field_validator("place")
    @classmethod
    def _is_place(cls, value: str) -> str:
        read_place(value)
        return value

    @property
    def coordinates(self) -> tuple[float, float] | None:
        return read_place(self.place)


def read_place(text: str) -> tuple[float, float] | None:
    if not text.strip():
        return None
    try:
        latitude, longitude = (float(part) for part in text.split(","))
    except ValueError as error:
        raise ValueError("is no place; give latitude and longitude, for example 51.5, -0.13") from error
    if not (-90 <= latitude <= 90 and -180 <= longitude <= 180):
        raise ValueError("is no place on earth; give latitude and longitude, for example 51.5, -0.13")
    return (latitude, longitude)


class SourceSettings(Group):
    """One source. It is off until someone who may use it switches it on."""

    enabled: bool = setting(False, "Ask this source.")
    base_url: str = setting("", "Its address; empty is the one in its manifest.")
    precedence_weight: Count = setting(50, "Where sources disagree the highest is believed.", ge=0, le=100)
    rate_limits: RateLimitSettings = RateLimitSettings()
    respect_robots: bool = setting(True, "Keep to its robots.txt.")
    allowed_hosts: tuple[str, ...] = setting(
        (), "Hosts it may reach beside its own, private addresses only if named here."
    )
    token_url: str = setting("", "Where it gives tokens for a key; empty when its calls need none of that kind.")
    api_key: SecretStr = setting(SecretStr(""), "The key that it gave us.")
    use_proxy: bool = setting(False, "Go out through the proxies of scraper.proxy.")
    coherent_tls: bool = setting(False, "Use a browser's TLS (extra `coherent`); only where its terms allow it.")
    stealth: bool = setting(
        False, "Patch what tells a driven browser (extra `stealth`); only where its terms allow it."
    )
    profile: ProfileSettings = ProfileSettings()

    @field_validator("base_url", "token_url")
    @classmethod
    def _is_site(cls, value: str) -> str:
        return require_plain_site(value)

    @field_validator("allowed_hosts")
    @classmethod
    def _are_hosts(cls, values: tuple[str, ...]) -> tuple[str, ...]:
        if not all(is_host(value) for value in values):
            raise ValueError("holds an entry that is no host; give host names or addresses without scheme and port")
        return values


class SourcesSettings(Group):
    """Where matches come from."""

    discovery_interval: Seconds = setting(15.0, "Time between two looks at a source's list of matches.", ge=1, le=DAY)
    not_found_ttl: Seconds = setting(60.0, "A match that was not found is not asked for again before.", ge=0, le=DAY)
    crex: SourceSettings = SourceSettings(
        precedence_weight=100,
        rate_limits=RateLimitSettings(max_concurrent_contexts=30, min_interval_seconds=0.5, burst_allowance=50),
    )
    espn: SourceSettings = SourceSettings(precedence_weight=80)
    cricinfo: SourceSettings = SourceSettings()
    sofascore: SourceSettings = SourceSettings()
    brasileirao: SourceSettings = SourceSettings()


def source_names() -> tuple[str, ...]:
    """Every source there are settings for; not all of them can be watched yet."""
    fields = SourcesSettings.model_fields.items()
    return tuple(sorted(name for name, field in fields if field.annotation is SourceSettings))
