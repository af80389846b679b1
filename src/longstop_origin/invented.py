"""Teams, players, grounds and series that exist nowhere. All of it follows from ordinals, so nothing is remembered."""

from msgspec import Struct

from longstop_origin.codes import OrdinalCodes

PLAYERS_A_TEAM = 15

PLACES = (
    "Harrowmere", "Castelvane", "Old Brindle", "Port Selwyn", "Dunmarrow", "Kalapura", "Verdigar", "Santa Ysolda",
    "Mbelani", "Thornbury Vale", "Whitcastle", "Ravikot", "Oakhollow", "Lagoona Bay", "Estermark", "Fjordheim",
    "Marabindi", "Coralston", "Highfell", "Québrac", "Zaruna", "Penmaren", "Tallowgate", "Nayapur", "Saint Orsel",
    "Brackwater", "Kingsrill", "Umdoni", "Larkspur", "Wadi Noor", "Ironbridge Down", "Celtara", "Mirrorlake",
    "Östervik", "Galle Point", "Ashgrove", "Tamarind Hill", "Rookhaven", "Belmora", "Jasrana", "Stonewold",
    "Amberley Cross", "Nkosira", "Deepdale", "Vallora", "Hibiscus Coast", "Cravenholt", "Sundarvan", "Pelican Reach",
    "Drystane", "Arborfield", "Moonta Plains", "Kirkhallow", "Rivermede", "Tulsipet", "Farrow's Edge", "Blackwattle",
    "Oriel Sound", "Lanternby", "Quillon",
)  # fmt: skip
NICKNAMES = (
    "Herons", "Lanterns", "Foxes", "Mariners", "Rockets", "Falcons", "Wanderers", "Monsoons", "Kestrels", "Anvils",
    "Comets", "Otters", "Pilots", "Royals XI", "Tides", "Hornets", "Bears", "Gliders", "Sentinels", "Cobras",
    "Drovers", "Stallions", "Thunder", "Badgers", "Corsairs", "Peacocks", "Rangers", "Sparks", "Yaks", "Ravens",
    "Blades", "Dolphins", "Embers", "Jackals", "Lynxes", "Nomads", "Quokkas", "Titans", "Voyagers", "Zephyrs",
)  # fmt: skip
GIVEN = (
    "Arjun", "Callum", "Devon", "Ewan", "Farid", "Gareth", "Hamza", "Imran", "Jasper", "Kiran", "Lorcan", "Mikael",
    "Nikhil", "Oskar", "Pravin", "Quentin", "Rohan", "Sean", "Tomás", "Usman", "Viraj", "Wesley", "Xander", "Yusuf",
    "Zubin", "André", "Bjorn", "Chaminda", "D'Arcy", "Emeka", "Faisal", "Gus", "Hugo", "Ishan", "Jérôme", "Kofi",
    "Leif", "Malik", "Ned", "Omar", "Pieter", "Rafiq", "Sibusiso", "Tevin", "Uday", "Vernon", "Wim", "Yohan",
    "Zane", "Aroha", "Bilal", "Corin", "Duminda", "Eddo", "Flynn", "Garrick", "Harith", "Idris", "Jomo", "Kemar",
)  # fmt: skip
SURNAME_STARTS = (
    "Ash", "Bar", "Cal", "Dev", "El", "Far", "Gan", "Hal", "Ig", "Jor", "Kar", "Lan", "Mar", "Nar", "Ol", "Per",
    "Quil", "Rav", "Sel", "Tan", "Ul", "Ven", "Wes", "Yar", "Zan", "O'Mar", "D'Al", "Mc Far", "De Vel", "Né",
)  # fmt: skip
SURNAME_ENDS = (
    "wick", "deen", "ström", "gunde", "more", "pathi", "thorne", "sinha", "ley", "vane", "dale", "koti", "shire",
    "mani", "ford", "weera", "sen", "holt", "anya", "baker",
)  # fmt: skip
SERIES = (
    "Four Rivers Cup", "Coastal Premier League", "Lantern Trophy", "Highlands Tri-Series", "Island Challenge",
    "Copper Shield", "Monsoon Cup", "Northern Lights League", "Harvest Series", "Founders' Trophy",
    "Saffron Cup", "Long Room Championship",
)  # fmt: skip
GROUNDS = ("Oval", "Recreation Ground", "Park", "Gardens", "Stadium", "Meadow", "County Ground", "Green")
STAGES = ("1st Match", "2nd Match", "3rd Match", "14th Match", "22nd Match", "31st Match", "Semi Final", "Final")


class InventedTeam(Struct, frozen=True):
    ordinal: int
    name: str
    short: str
    squad: tuple[str, ...]


class Pairing(Struct, frozen=True):
    """Who plays whom, where and for what."""

    teams: tuple[InventedTeam, InventedTeam]
    series_ordinal: int
    series: str
    venue: str
    match_name: str


class League:
    """Everything invented of one world, by ordinal and by code."""

    def __init__(self, matches: int, seed: int) -> None:
        self._rows = max(matches, 8)
        self._seed = seed
        self._matches = OrdinalCodes(4, offset=seed * 7919 + 101)
        self._players = OrdinalCodes(4, offset=50_021)
        self._teams = OrdinalCodes(3, offset=613)
        self._series = OrdinalCodes(4, offset=29)

    def match_code(self, ordinal: int) -> str:
        return self._matches.code(ordinal)

    def match_ordinal(self, code: str) -> int | None:
        return self._matches.ordinal(code)

    def player_code(self, ordinal: int) -> str:
        return self._players.code(ordinal)

    def player_of(self, code: str) -> str | None:
        ordinal = self._players.ordinal(code)
        if ordinal is None or ordinal >= 2 * self._rows * PLAYERS_A_TEAM:
            return None
        return player_name(ordinal)

    def team_code(self, ordinal: int) -> str:
        return self._teams.code(ordinal)

    def team_of(self, code: str) -> InventedTeam | None:
        ordinal = self._teams.ordinal(code)
        return None if ordinal is None or ordinal >= 2 * self._rows else invented_team(ordinal)

    def series_code(self, ordinal: int) -> str:
        return self._series.code(ordinal)

    def series_of(self, code: str) -> str | None:
        ordinal = self._series.ordinal(code)
        return None if ordinal is None or ordinal >= len(SERIES) else SERIES[ordinal]

    def pairing(self, ordinal: int) -> Pairing:
        """Home sides stay in their slot, guests wander, so that hardly a team plays twice at a time."""
        round_number, row = divmod(ordinal, self._rows)
        home = invented_team(2 * row)
        guest = invented_team(2 * ((row + round_number + self._seed) % self._rows) + 1)
        series = (ordinal * 5 + self._seed) % len(SERIES)
        return Pairing(
            teams=(home, guest),
            series_ordinal=series,
            series=SERIES[series],
            venue=f"{_place(home.ordinal)} {GROUNDS[row % len(GROUNDS)]}",
            match_name=STAGES[(ordinal * 3 + self._seed) % len(STAGES)],
        )


def invented_team(ordinal: int) -> InventedTeam:
    place, nickname = _place(ordinal), NICKNAMES[_nickname_index(ordinal)]
    squad = tuple(player_name(ordinal * PLAYERS_A_TEAM + number) for number in range(PLAYERS_A_TEAM))
    return InventedTeam(ordinal, f"{place} {nickname}{_edition(ordinal)}", _short(place, nickname), squad)


def player_name(ordinal: int) -> str:
    """Given name and surname; every ordinal below 36,000 has a pair of its own."""
    surnames = len(SURNAME_STARTS) * len(SURNAME_ENDS)
    spread = ordinal * 7001 % (len(GIVEN) * surnames)
    given, surname = divmod(spread, surnames)
    start, end = divmod(surname, len(SURNAME_ENDS))
    repeat = ordinal // (len(GIVEN) * surnames)
    return f"{GIVEN[given]} {SURNAME_STARTS[start]}{SURNAME_ENDS[end]}{' ' + 'I' * (repeat + 1) if repeat else ''}"


def _place(ordinal: int) -> str:
    return PLACES[ordinal % len(PLACES)]


def _nickname_index(ordinal: int) -> int:
    """Steps through the nicknames so that no pair of place and nickname comes twice in a cycle."""
    return (ordinal // len(PLACES) * 21 + ordinal % len(PLACES)) % len(NICKNAMES)


def _edition(ordinal: int) -> str:
    cycle = ordinal // (len(PLACES) * len(NICKNAMES))
    return f" {cycle + 1}" if cycle else ""


def _short(place: str, nickname: str) -> str:
    return f"{place[:2]}{nickname[0]}".upper()
