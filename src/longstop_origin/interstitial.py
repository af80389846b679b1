"""Pages that stand in the way: the cookie wall, the challenge, the login."""

from html import escape
from string import Template

import msgspec

from longstop_origin.page_script import SUM
from longstop_origin.sessions import PROOF_ROUNDS, WALL_COOKIE

HEAD = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta name="robots" content="noindex"><title>$title</title></head>
"""

# It comes back only when the cookie was taken: who takes none is not sent round for ever.
WALL = Template(
    HEAD
    + """<body>
<p id="wall-note">One moment, we set a cookie.</p>
<noscript><p>This site needs scripts and cookies.</p></noscript>
<script>
(function () {
  "use strict";
$sum
  var riddle = $riddle;
  document.cookie = $cookie + "=" + riddle + "." + mix(riddle, $rounds) + "; path=/; max-age=$seconds; samesite=lax";
  if (document.cookie.indexOf(riddle) >= 0) { window.location.reload(); }
}());
</script>
</body>
</html>
"""
)

CHALLENGE = Template(
    HEAD
    + """<body>
<main class="challenge" data-number="$number">
<h1>Are you a person?</h1>
<p>We look at your browser before $path is shown. This takes a few seconds.</p>
<noscript><p class="challenge-error">Switch scripts on to go further.</p></noscript>
<form id="challenge-form" action="$path" method="post">
<input type="hidden" name="number" value="$number"><input type="hidden" name="answer" value="">
<button type="submit" disabled>Go on</button>
</form>
</main>
</body>
</html>
"""
)

LOGIN = Template(
    HEAD
    + """<body>
<h1>Your session has ended</h1>
<form id="login-form" action="/login" method="post">
<input type="hidden" name="next" value="$next">
<label>Name <input name="name" autocomplete="username"></label>
<label>Password <input name="password" type="password" autocomplete="current-password"></label>
<button type="submit">Log in</button>
</form>
</body>
</html>
"""
)


def wall_page(riddle: str, lasts_seconds: float) -> bytes:
    return WALL.substitute(
        title="One moment",
        sum=SUM,
        riddle=msgspec.json.encode(riddle).decode(),
        cookie=msgspec.json.encode(WALL_COOKIE).decode(),
        rounds=PROOF_ROUNDS,
        seconds=max(int(lasts_seconds), 1),
    ).encode()


def challenge_page(path: str, number: int) -> bytes:
    return CHALLENGE.substitute(title="Are you a person?", path=escape(path), number=number).encode()


def login_page(following: str) -> bytes:
    return LOGIN.substitute(title="Log in", next=escape(following)).encode()
