"""Where exits are: a visitor from Germany speaks German and has Berlin's clock.

One place for each country, its capital or largest city. Coordinates are rounded to a tenth of a degree.
"""

from typing import Final

import msgspec

from longstop.fetch.browser.needs import Profile


class Place(msgspec.Struct, frozen=True):
    locale: str
    time_zone: str
    latitude: float
    longitude: float


PLACES: Final = {
    "AE": Place("ar-AE", "Asia/Dubai", 25.2, 55.3),
    "AR": Place("es-AR", "America/Argentina/Buenos_Aires", -34.6, -58.4),
    "AT": Place("de-AT", "Europe/Vienna", 48.2, 16.4),
    "AU": Place("en-AU", "Australia/Sydney", -33.9, 151.2),
    "BD": Place("bn-BD", "Asia/Dhaka", 23.8, 90.4),
    "BE": Place("nl-BE", "Europe/Brussels", 50.8, 4.4),
    "BG": Place("bg-BG", "Europe/Sofia", 42.7, 23.3),
    "BR": Place("pt-BR", "America/Sao_Paulo", -23.6, -46.6),
    "CA": Place("en-CA", "America/Toronto", 43.7, -79.4),
    "CH": Place("de-CH", "Europe/Zurich", 47.4, 8.5),
    "CL": Place("es-CL", "America/Santiago", -33.4, -70.7),
    "CO": Place("es-CO", "America/Bogota", 4.7, -74.1),
    "CZ": Place("cs-CZ", "Europe/Prague", 50.1, 14.4),
    "DE": Place("de-DE", "Europe/Berlin", 52.5, 13.4),
    "DK": Place("da-DK", "Europe/Copenhagen", 55.7, 12.6),
    "EC": Place("es-EC", "America/Guayaquil", -2.2, -79.9),
    "EE": Place("et-EE", "Europe/Tallinn", 59.4, 24.8),
    "EG": Place("ar-EG", "Africa/Cairo", 30.0, 31.2),
    "ES": Place("es-ES", "Europe/Madrid", 40.4, -3.7),
    "FI": Place("fi-FI", "Europe/Helsinki", 60.2, 24.9),
    "FR": Place("fr-FR", "Europe/Paris", 48.9, 2.4),
    "GB": Place("en-GB", "Europe/London", 51.5, -0.1),
    "GR": Place("el-GR", "Europe/Athens", 38.0, 23.7),
    "HK": Place("zh-HK", "Asia/Hong_Kong", 22.3, 114.2),
    "HR": Place("hr-HR", "Europe/Zagreb", 45.8, 16.0),
    "HU": Place("hu-HU", "Europe/Budapest", 47.5, 19.0),
    "ID": Place("id-ID", "Asia/Jakarta", -6.2, 106.8),
    "IE": Place("en-IE", "Europe/Dublin", 53.3, -6.3),
    "IL": Place("he-IL", "Asia/Jerusalem", 32.1, 34.8),
    "IN": Place("en-IN", "Asia/Kolkata", 19.1, 72.9),
    "IT": Place("it-IT", "Europe/Rome", 41.9, 12.5),
    "JP": Place("ja-JP", "Asia/Tokyo", 35.7, 139.7),
    "KE": Place("en-KE", "Africa/Nairobi", -1.3, 36.8),
    "KR": Place("ko-KR", "Asia/Seoul", 37.6, 127.0),
    "LK": Place("si-LK", "Asia/Colombo", 6.9, 79.9),
    "LT": Place("lt-LT", "Europe/Vilnius", 54.7, 25.3),
    "LV": Place("lv-LV", "Europe/Riga", 56.9, 24.1),
    "MA": Place("fr-MA", "Africa/Casablanca", 33.6, -7.6),
    "MX": Place("es-MX", "America/Mexico_City", 19.4, -99.1),
    "MY": Place("en-MY", "Asia/Kuala_Lumpur", 3.1, 101.7),
    "NG": Place("en-NG", "Africa/Lagos", 6.5, 3.4),
    "NL": Place("nl-NL", "Europe/Amsterdam", 52.4, 4.9),
    "NO": Place("nb-NO", "Europe/Oslo", 59.9, 10.8),
    "NZ": Place("en-NZ", "Pacific/Auckland", -36.8, 174.8),
    "PE": Place("es-PE", "America/Lima", -12.0, -77.0),
    "PH": Place("en-PH", "Asia/Manila", 14.6, 121.0),
    "PK": Place("en-PK", "Asia/Karachi", 24.9, 67.0),
    "PL": Place("pl-PL", "Europe/Warsaw", 52.2, 21.0),
    "PT": Place("pt-PT", "Europe/Lisbon", 38.7, -9.1),
    "RO": Place("ro-RO", "Europe/Bucharest", 44.4, 26.1),
    "RS": Place("sr-RS", "Europe/Belgrade", 44.8, 20.5),
    "SA": Place("ar-SA", "Asia/Riyadh", 24.7, 46.7),
    "SE": Place("sv-SE", "Europe/Stockholm", 59.3, 18.1),
    "SG": Place("en-SG", "Asia/Singapore", 1.3, 103.8),
    "SI": Place("sl-SI", "Europe/Ljubljana", 46.1, 14.5),
    "SK": Place("sk-SK", "Europe/Bratislava", 48.1, 17.1),
    "TH": Place("th-TH", "Asia/Bangkok", 13.8, 100.5),
    "TR": Place("tr-TR", "Europe/Istanbul", 41.0, 29.0),
    "TW": Place("zh-TW", "Asia/Taipei", 25.0, 121.6),
    "UA": Place("uk-UA", "Europe/Kyiv", 50.5, 30.5),
    "US": Place("en-US", "America/New_York", 40.7, -74.0),
    "UY": Place("es-UY", "America/Montevideo", -34.9, -56.2),
    "VN": Place("vi-VN", "Asia/Ho_Chi_Minh", 10.8, 106.6),
    "ZA": Place("en-ZA", "Africa/Johannesburg", -26.2, 28.0),
}


def profile_at(country: str, plain: Profile) -> Profile:
    """The visitor of a source's settings, as one who lives there. Whoever told no page where it is goes on so; a
    country that the table lacks, or none, changes nothing."""
    place = PLACES.get(country.upper())
    if place is None:
        return plain
    headers = tuple(each for each in plain.extra_headers if each[0].lower() != "accept-language")
    return msgspec.structs.replace(
        plain,
        locale=place.locale,
        timezone_id=place.time_zone,
        extra_headers=headers,
        place=None if plain.place is None else (place.latitude, place.longitude),
    )
