"""The whole tree of settings, with its defaults."""

from longstop.settings.feeds import SourcesSettings
from longstop.settings.keys import Group
from longstop.settings.scraping import ScraperSettings
from longstop.settings.serving import (
    ApiSettings,
    DatabaseSettings,
    JobSettings,
    RedisSettings,
    SinkSettings,
    StorageSettings,
)


class Settings(Group):
    """Everything that can be set."""

    scraper: ScraperSettings = ScraperSettings()
    sources: SourcesSettings = SourcesSettings()
    database: DatabaseSettings = DatabaseSettings()
    storage: StorageSettings = StorageSettings()
    api: ApiSettings = ApiSettings()
    sink: SinkSettings = SinkSettings()
    redis: RedisSettings = RedisSettings()
    jobs: JobSettings = JobSettings()
