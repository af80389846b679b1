"""Is this the answer, or a page that asks whether we are a person? Known by headers and structure, not by words.

A challenge is never solved; it is told. What speaks of challenges, has a captcha in its login form or carries a guard's
script beside its own content is no challenge. Pure, and bounded in time whatever the bytes are.
"""

from longstop.domain.challenges.outline import is_markup
from longstop.domain.challenges.recognition import Challenge, challenge_in, told_in_headers

__all__ = ["Challenge", "challenge_in", "is_markup", "told_in_headers"]
