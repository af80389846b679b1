"""Names for files out of ids that come from sites: none of them means anything else to a file system."""

import hashlib
import re
from typing import Final

_PLAIN_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")


def safe_name(match_id: str) -> str:
    """The id itself when it is plain, otherwise a name that only its hash goes into."""
    if _PLAIN_ID.fullmatch(match_id):
        return match_id
    return f"odd-{hashlib.sha256(match_id.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}"
