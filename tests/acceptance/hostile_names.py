"""Names that nobody gives a match with good intentions, of every kind that has broken something."""

from typing import Final

_SHORT: Final = [
    *("..", ".", "../", "./x", "/", "//", "\\", "..\\", "~", "~root", "-", "--help", "-rf", "*", "?"),
    *("crex_", "_QUY", "__", "_", "crex_../QUY", "crex_..", "crex_.", "crex_/QUY", "crex_Q/UY"),
    *("crex_Q\\UY", "crex_Q UY", "crex_QUY ", " crex_QUY", "crex_QUY\n", "crex_QUY\r\nX-Evil: 1"),
    *("crex_QUY\t", "crex_QUY\x00", "\x00", "crex_\x00QUY", "crex_QUY\x00.html", "\x1b[31mcrex_QUY"),
    *("crex_QUY\x7f", "crex_QUY\u2028", "crex_QUY\u2029", "crex_QUY\ufeff", "\u202ecrex_QUY"),
    *("crex_QUY\u200b", "\uff43rex_QUY", "crex_\uff31UY", "crex_Q\xdcY", "crex_\U0001f600", "crex_\u0338"),
    *("\u24b6", "crex_\u202eQUY", "\ufb00", "\u0130", "crex_QUY;ls", "crex_QUY|id", "crex_QUY`id`"),
    *("crex_$(id)", "crex_${HOME}", "crex_%00", "%2e%2e%2f", "..%2f..%2f", "%252e%252e"),
    *("crex_%0d%0aSet-Cookie:x", "crex_QUY'", 'crex_QUY"', "crex_QUY' OR 1=1--"),
    *("'; DROP TABLE matches;--", "crex_QUY<script>", "<img src=x onerror=1>", "crex_QUY#", "crex_QUY?"),
    *("crex_QUY&a=b", "crex_{match_id}", "{{7*7}}", "${jndi:ldap://127.0.0.1/a}", "crex_%s%n", "crex_QUY:"),
    *("C:", "C:\\x", "CON", "NUL", "aux.html", "com1", "file:///etc", "http://127.0.0.1/", "//127.0.0.1/x"),
    *("data:,x", "javascript:1", "crex_QUY.", "crex_QUY..", "crex_.QUY", ".crex_QUY", "null", "None"),
    *("undefined", "true", "0", "-1", "1e309", "NaN", "\u0663", "crex_QUY/..", "crex_QUY/../../x"),
    *("a/b/c/d/e/f", "\\\\127.0.0.1\\x", "crex_QUY,crex_QUZ", "crex_QUY|crex_QUZ", "[]", "{}"),
    *("[object Object]", "=cmd()", "@x", "+x"),
]
_LONG: Final = [
    *("x" * 300, "crex_" + "Q" * 300, "../" * 100, "\xe9" * 300, "\u0338" * 100, "%2e" * 120, "a_" * 150),
    "/" * 300,
]
HOSTILE: Final = tuple(dict.fromkeys([*_SHORT, *_LONG]))
