"""The parts that challenges are made of, guard by guard.

A strong mark is enough: healthy pages have no such part. A weak one counts only where there is next to nothing else. An
injected one is put into healthy pages too, so it counts only where there is nothing else at all.
"""

import re
from typing import Final

import msgspec


class Mark(msgspec.Struct, frozen=True):
    """`where` is code, or tag.attribute; a tag of * is any."""

    guard: str
    where: str
    pattern: re.Pattern[str]


def _marks(*rows: tuple[str, str, str]) -> tuple[Mark, ...]:
    return tuple(Mark(guard, where, re.compile(pattern, re.MULTILINE)) for guard, where, pattern in rows)


STRONG: Final = _marks(
    ("cloudflare", "code", r"\b_cf_chl_(?:opt|ctx)\s{0,4}=|\b_cf_chl_enter\s{0,4}[=(]"),
    ("cloudflare", "code", r"/cdn-cgi/challenge-platform/[a-z0-9/]{0,20}orchestrate/"),
    ("cloudflare", "script.src", r"/cdn-cgi/challenge-platform/[a-z0-9/]{0,20}orchestrate/"),
    ("cloudflare", "script.src", r"/cdn-cgi/scripts/(?:[a-z0-9/]{0,40})cf\.challenge\.js"),
    ("cloudflare", "script.src", r"/cloudflare-static/pic-chl\.js"),
    ("cloudflare", "form.action", r"__cf_chl_|/cdn-cgi/l/chk_"),
    ("cloudflare", "input.name", r"^jschl[_-](?:vc|answer)$"),
    ("cloudflare", "*.id", r"^(?:cf-challenge-running|trk_jschal_nojs|trk_captcha_nojs|cf-captcha-bookmark)$"),
    ("cloudflare", "*.data-translate", r"^(?:(?:challenge|block|why_captcha)_headline|complete_sec_check)$"),
    ("datadome", "script.src", r"^(?:https?:)?//[a-z.]{0,10}captcha-delivery\.com/"),
    ("datadome", "iframe.src", r"^(?:https?:)?//[a-z.]{0,10}captcha-delivery\.com/"),
    ("datadome", "code", r"\bvar\s{1,4}dd\s{0,4}=\s{0,4}\{\s{0,4}['\"]?rt['\"]?\s{0,4}:"),
    ("human", "*.id", r"^px-captcha(?:-wrapper|-modal)?$"),
    ("human", "meta.content", r"^px-captcha$"),
    ("human", "script.src", r"captcha\.px-(?:cdn|cloud)\.net/|/captcha/captcha\.js\?a="),
    ("human", "code", r"\b_px(?:uuid|vid|hosturl|blockedurl|jsclientsrc)\s{0,4}=\s{0,4}['\"]"),
    ("akamai", "*.id", r"^sec-(?:if-cpt-container|cpt-if|bc-tile-container|bc-text-container)$"),
    ("akamai", "script.src", r"/_sec/cp_challenge/"),
    ("akamai", "meta.content", r"[?&]bm-verify="),
    ("akamai", "code", r"/_sec/verify\?provider="),
    ("imperva", "iframe.src", r"/_incapsula_resource\?"),
    ("imperva", "*.id", r"^(?:interstitial-inprogress|distil(?:captchaform|identificationblock|callbackguard))$"),
    ("imperva", "code", r"\b(?:reeseskipexpirationcheck\s{0,4}=|distilcallbackguard\b)"),
    ("imperva", "meta.content", r"url=/distil_r_(?:blocked|captcha)"),
    ("aws_waf", "code", r"\bgokuprops\s{0,4}=|\bawswafintegration\.forcerefreshtoken\b"),
    ("vercel", "script.src", r"/\.well-known/vercel/security/static/challenge"),
    ("ddos_guard", "script.src", r"/\.well-known/ddos-guard/js-challenge/|//check\.ddos-guard\.net/"),
    ("anubis", "*.id", r"^anubis_challenge$"),
    ("amazon", "form.action", r"/errors/validatecaptcha"),
    ("yandex", "form.action", r"^(?:https?://[a-z.]{0,30})?/checkcaptcha"),
    ("radware", "script.src", r"//validate\.perfdrive\.com/|/captcha\.perfdrive\.com/"),
    ("sucuri", "code", r"\bsucuri_cloudproxy_js\s{0,4}="),
    ("alibaba", "code", r"/_____tmd_____/punish"),
)  # fmt: skip

WEAK: Final = _marks(
    ("cloudflare", "*.id", r"^(?:challenge-form|challenge-running|challenge-stage|challenge-error-(?:title|text))$"),
    ("cloudflare", "*.id", r"^cf-(?:please-wait|spinner-please-wait)$"),
    ("cloudflare", "*.class", r"\bcf-(?:browser-verification|im-under-attack)\b"),
    ("google", "*.id", r"^captcha-form$"),
    ("aws_waf", "code", r"\bawswafcookiedomainlist\s{0,4}="),
    ("f5", "code", r"\bbobcmn\b"),
)  # fmt: skip

INJECTED: Final = _marks(
    ("cloudflare", "script.src", r"/cdn-cgi/(?:challenge-platform|bm/cv)/"),
    ("cloudflare", "code", r"/cdn-cgi/challenge-platform/|__cf\$cv\$params"),
    ("imperva", "script.src", r"/_incapsula_resource\?"),
    ("imperva", "code", r"/_incapsula_resource\?"),
    ("aws_waf", "script.src", r"\.awswaf\.com/[^\"\n]{0,200}(?:challenge|captcha)(?:\.compact)?\.js"),
    ("kasada", "script.src", r"/ips\.js(?:\?|$)|/149e9513-01fa-4fb0-aad4-566afd725d1b/"),
    ("kasada", "code", r"\bkpsdk\s{0,4}="),
    ("f5", "script.src", r"/tspd/"),
    ("human", "code", r"\b_pxappid\s{0,4}="),
)  # fmt: skip

# Boxes in which a visitor proves to be one. They stand in healthy forms too.
WIDGETS: Final = _marks(
    ("recaptcha", "*.class", r"\bg-recaptcha\b"),
    ("recaptcha", "iframe.src", r"/recaptcha/(?:api2?|enterprise)/"),
    ("hcaptcha", "*.class", r"\bh-captcha\b"),
    ("hcaptcha", "iframe.src", r"//[a-z.]{0,20}hcaptcha\.com/"),
    ("turnstile", "*.class", r"\bcf-turnstile\b"),
    ("turnstile", "*.id", r"^cf-turnstile$|^turnstile-(?:wrapper|widget)$"),
    ("turnstile", "code", r"\bturnstile\.render\s{0,4}\("),
    ("arkose", "*.id", r"^(?:funcaptcha|arkose(?:-iframe|-challenge)?)$"),
    ("arkose", "iframe.src", r"//[a-z.-]{0,40}(?:arkoselabs|funcaptcha)\.com/"),
    ("geetest", "*.class", r"\bgeetest_(?:holder|captcha|box)\b"),
    ("yandex", "*.class", r"\bsmart-captcha\b"),
    ("friendly", "*.class", r"\bfrc-captcha\b"),
)  # fmt: skip

# Who serves the scripts of guards and of their boxes; what else is loaded is the site's own.
GUARD_SCRIPTS: Final = re.compile(
    r"/cdn-cgi/|/_incapsula_resource|\.awswaf\.com/|captcha|turnstile|challenges\.cloudflare\.com|/tspd/|/ips\.js"
    r"|px-(?:cdn|cloud)\.net|/149e9513-|arkoselabs|jquery|ajax\.(?:googleapis|cloudflare)|/init\.js|gstatic\.com/"
)
# The beginning of some part of each mark: where none of them stands, there is nothing to look for.
TRACES: Final = (
    "cf_chl", "cdn-cgi/", "cloudflare-static/pic-chl", "jschl", "cf-challenge", "challenge_headline", "captcha",
    "block_headline", "sec-if-cpt", "sec-cpt", "sec-bc", "_sec/", "bm-verify", "_incapsula_", "interstitial-inprogress",
    "distil", "reeseskip", "gokuprops",
    "awswaf", "vercel/security", "ddos-guard", "anubis_", "perfdrive", "sucuri_",
    "_____tmd", "_pxuuid", "_pxvid", "_pxhosturl", "_pxblockedurl", "_pxjsclientsrc", "_pxappid", "challenge-",
    "cf-please-wait", "cf-browser", "cf-im-under", "kpsdk", "/ips.js", "149e9513", "bobcmn", "/tspd/", "turnstile",
    "arkose", "geetest", "complete_sec_check", "trk_", "cf-spinner", "__cf$cv",
)  # fmt: skip
