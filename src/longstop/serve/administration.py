"""Everything under /admin, joined. Verbs that nobody can carry out have no route."""

from typing import Final

from litestar import Router
from litestar.di import Provide

from longstop.serve.admin import WITH_ENGINE, AdminDesk, reload
from longstop.serve.admin_evidence import evidence
from longstop.serve.admin_sources import source_verbs
from longstop.serve.negotiation import require_json_body

_BODY_BYTES_MAX: Final = 4_096


def admin_router(desk: AdminDesk) -> Router:
    dependencies = {"desk": Provide(lambda: desk, sync_to_thread=False)}
    if desk.verbs is not None:
        dependencies["verbs"] = Provide(lambda: desk.verbs, sync_to_thread=False)
    return Router(
        path="/admin",
        route_handlers=[reload, evidence, *((*WITH_ENGINE, *source_verbs()) if desk.verbs is not None else ())],
        dependencies=dependencies,
        before_request=require_json_body,
        tags=["admin"],
        request_max_body_size=_BODY_BYTES_MAX,
    )
