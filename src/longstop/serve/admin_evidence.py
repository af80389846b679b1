"""What a failure looked like, for whoever looks into it: the page as plain text, never as a page, or its picture.

Sites wrote what is in it. A browser neither runs it nor guesses what it may be.
"""

import asyncio
from typing import Annotated, Final

from litestar import Response, get
from litestar.openapi import ResponseSpec
from litestar.params import PathParameter

from longstop.serve.admin import Desk, problems_of
from longstop.serve.entry.rules import ADMIN
from longstop.serve.problems import NOT_FOUND, ApiError

_PAGE: Final = "text/plain"
_PICTURE: Final = "image/png"
_SHUT: Final = "default-src 'none'; frame-ancestors 'none'; sandbox"
_FILE: Final = ResponseSpec(bytes, generate_examples=False, description="The page as text, or the picture.")

Folder = Annotated[str, PathParameter(description="error_pages or errors, as an error names it.", max_length=20)]
FileName = Annotated[str, PathParameter(description="The name of the file.", max_length=120)]


@get(
    "/evidence/{folder:str}/{name:str}",
    opt=ADMIN,
    media_type=_PAGE,
    summary="What a failure looked like: a page as text, or its picture",
    responses={200: _FILE} | problems_of((404, "No such file is kept.")),
)
async def evidence(desk: Desk, folder: Folder, name: FileName) -> Response[bytes]:
    body = await asyncio.to_thread(desk.evidence, folder, name)
    if body is None:
        raise ApiError(NOT_FOUND, "No such file is kept; of more than storage.retention allows the oldest go first.")
    media = _PICTURE if name.endswith(".png") else _PAGE
    ending = "png" if media == _PICTURE else "txt"
    shown = f'inline; filename="{name.rpartition(".")[0]}.{ending}"'
    return Response(body, media_type=media, headers={"content-security-policy": _SHUT, "content-disposition": shown})
