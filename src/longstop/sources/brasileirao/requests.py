"""Which calls the site takes. The address of the site is handed in, so that the origin can stand in for it."""

from urllib.parse import quote

from longstop.domain.rounds import RoundRef
from longstop.fetch.snapshot import FetchRequest

SOURCE = "brasileirao"
ROUND = "round"
MATCH = "match"
_JSON = (("Accept", "application/json"),)


def list_round(base_url: str, ref: RoundRef) -> FetchRequest:
    stage = f"fase-unica-{ref.competition}-{ref.season}"
    path = f"/tabela/{_safe(ref.competition)}/fase/{_safe(stage)}/rodada/{ref.round}/jogos/"
    return FetchRequest(source=SOURCE, url=base_url + path, purpose=ROUND, headers=_JSON)


def match(base_url: str, key: str) -> FetchRequest:
    return FetchRequest(source=SOURCE, url=f"{base_url}/jogo/{_safe(key)}/", purpose=MATCH, headers=_JSON, key=key)


def _safe(part: str) -> str:
    return quote(part, safe="")
