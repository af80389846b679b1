"""Pages of guards, written for these tests by what is known of their structure; healthy ones that look like them."""

TEXT = "<p>" + "The home side won by four wickets with nine balls left. " * 12 + "</p>"
SCRIPT = '<script src="/static/app.js"></script>'


def page(body: str, head: str = "", title: str = "Page") -> bytes:
    return f"<!DOCTYPE html><html><head><title>{title}</title>{head}</head><body>{body}</body></html>".encode()


CHALLENGES = {
    "a managed challenge": (
        "cloudflare",
        page(
            '<div class="main-wrapper" role="main"><div class="main-content"><noscript>Enable it</noscript></div>'
            "</div><script>(function(){window._cf_chl_opt = {cvId: '3',cZone: 'x.example',cType: 'managed'};"
            "var a = document.createElement('script');"
            "a.src = '/cdn-cgi/challenge-platform/h/g/orchestrate/chl_page/v1?ray=1';}());</script>",
            '<meta http-equiv="refresh" content="360">',
            "Un momento…",
        ),
    ),
    "under attack": (
        "cloudflare",
        page('<form id="challenge-form" action="/?__cf_chl_jschl_tk__=1" method="POST"><input name="jschl_vc"></form>'),
    ),
    "a block": ("cloudflare", page('<h1 data-translate="block_headline">Sorry</h1>' + TEXT)),
    "a bot script alone": ("cloudflare", page("<script>window['__CF$cv$params']={r:'6'};</script>")),
    "datadome in a script": (
        "datadome",
        page("<p id='cmsg'>Please enable JS</p><script>var dd={'rt':'c','cid':'A','host':'geo.captcha-delivery.com'}"
             '</script><script src="https://ct.captcha-delivery.com/c.js"></script>'),
    ),
    "datadome in a frame": (
        "datadome",
        page('<iframe src="https://geo.captcha-delivery.com/captcha/?initialCid=1" title="DataDome CAPTCHA"></iframe>'),
    ),
    "datadome as JSON": ("datadome", b'{"url":"https://geo.captcha-delivery.com/captcha/?initialCid=A&t=fe"}'),
    "human": (
        "human",
        page('<div id="px-captcha"></div><script>window._pxAppId = "PX1";window._pxUuid="1";</script>' + SCRIPT,
             '<meta name="description" content="px-captcha">', "Access to this page has been denied"),
    ),
    "human as JSON": ("human", b'{"appId":"PXabc","jsClientSrc":"/abc/init.js","uuid":"1","blockScript":"/c.js"}'),
    "akamai asks": ("akamai", page('<div id="sec-if-cpt-container" style="display:none"></div>')),
    "akamai as JSON": ("akamai", b'{"sec-cp-challenge": "true", "provider":"crypto", "chlg_duration": 30}'),
    "akamai sends round": (
        "akamai", page("", "<meta http-equiv=\"refresh\" content=\"5; URL='/?bm-verify=AAQAAAAL'\">")
    ),
    "akamai denies": (
        "akamai",
        (b"<HTML><HEAD>\n<TITLE>Access Denied</TITLE>\n</HEAD><BODY>\n<H1>Access Denied</H1>\nYou may not.<P>\n"
         b"Reference&#32;&#35;18&#46;2b3c4d5e&#46;1700000000&#46;6f7a8b9c\n</BODY></HTML>"),
    ),
    "imperva in a frame": (
        "imperva",
        page('<iframe id="main-iframe" src="/_Incapsula_Resource?SWUDNSAI=31&xinfo=1&incident_id=1">x</iframe>',
             '<META NAME="robots" CONTENT="noindex,nofollow"><script src="/a-strange-Path-of-words" async></script>'),
    ),
    "imperva by a script": (
        "imperva",
        (b'<html><head><META NAME="ROBOTS" CONTENT="NOINDEX, NOFOLLOW">'
         b'<script src="/_Incapsula_Resource?SWJIYLWA=5074a744e2e3d8"></script></head><body></body></html>'),
    ),
    "imperva interrupts": (
        "imperva",
        page('<div id="interstitial-inprogress"></div><script>window.reeseSkipExpirationCheck = true;</script>' + TEXT,
             title="Pardon Our Interruption"),
    ),
    "aws": (
        "aws_waf",
        page('<div id="challenge-container"></div>',
             '<script>window.awsWafCookieDomainList = [];window.gokuProps = {"key":"A"};</script>'
             '<script src="https://a.b.token.awswaf.com/a/b/c/challenge.js"></script>', ""),
    ),
    "vercel": ("vercel", page('<script src="/.well-known/vercel/security/static/challenge.v2.min.js"></script>')),
    "ddos guard": ("ddos_guard", page('<script src="/.well-known/ddos-guard/js-challenge/index.js"></script>')),
    "anubis": ("anubis", page('<script id="anubis_challenge" type="application/json">{"a":1}</script>' + TEXT)),
    "google's sorry": (
        "google",
        page('<form id="captcha-form" action="index" method="post"><div class="g-recaptcha" data-sitekey="1"></div>'
             '<input type="hidden" name="q"></form>',
             '<script src="https://www.google.com/recaptcha/api.js"></script>'),
    ),
    "a bare box of hcaptcha": (
        "hcaptcha",
        page('<h1>One more step</h1><form method="post"><div class="h-captcha" data-sitekey="1"></div>'
             '<button>Go on</button></form>', '<link rel="stylesheet" href="/wall.css">'
             '<script src="https://js.hcaptcha.com/1/api.js" async defer></script>'),
    ),
    "a bare box of turnstile": (
        "turnstile",
        page('<p>Verify</p><div class="cf-turnstile" data-sitekey="0x"></div>',
             '<script src="https://challenges.cloudflare.com/turnstile/v0/api.js"></script>'),
    ),
    "a bare box of recaptcha in a frame": (
        "recaptcha", page('<iframe src="https://www.google.com/recaptcha/api2/anchor?k=1"></iframe>')
    ),
    "told by the source": ("source", b'{"error": {"code": 403, "reason": "challenge" }}'),
}  # fmt: skip

JSD = (
    "<script>(function(){function c(){var d=b.createElement('script');"
    "d.innerHTML=\"window.__CF$cv$params={r:'8',t:'M'};"
    "var a=document.createElement('script');a.src='/cdn-cgi/challenge-platform/scripts/jsd/main.js';\"}})();</script>"
)
BEACON = (
    '<script defer src="https://static.cloudflareinsights.com/beacon.min.js" data-cf-beacon=\'{"token":"1"}\'></script>'
    '<script src="/cdn-cgi/scripts/5c5dd728/cloudflare-static/email-decode.min.js"></script>'
)
LOGIN = (
    '<form action="/login" method="post"><input name="user"><input name="pass" type="password">{}'
    "<button>Log in</button></form>"
)
QUOTED = (
    "<pre>&lt;script&gt;window._cf_chl_opt = {{}}&lt;/script&gt; id=&quot;px-captcha&quot;</pre>"
    "<code>"
    "/cdn-cgi/challenge-platform/h/b/orchestrate/ _Incapsula_Resource?SWUDNSAI=31 gokuProps = </code>"
)

HEALTHY = {
    "an article about a title": page("<article><h1>Just a moment… what the page means</h1>" + TEXT + "</article>",
                                     title="Just a moment..."),
    "words of all guards": page("<h1>Checking your browser. Attention Required! | Cloudflare. Pardon Our Interruption. "
                                "Access Denied. Please verify you are human, captcha, DataDome, PerimeterX</h1>"),
    "an article that quotes": page("<h1>How guards work</h1>" + TEXT + QUOTED),
    "a comment": page("<!-- <div id='px-captcha'></div><script>window._cf_chl_opt={}</script> --><p>News</p>"),
    "what is in a text area": page("<textarea><div id='px-captcha'></div></textarea>"),
    "a login with recaptcha": page(LOGIN.format('<div class="g-recaptcha" data-sitekey="1"></div>'),
                                   '<script src="https://www.google.com/recaptcha/api.js"></script>'),
    "a login with hcaptcha": page(LOGIN.format('<div class="h-captcha" data-sitekey="1"></div>')),
    "a login with turnstile": page(LOGIN.format('<div class="cf-turnstile" data-sitekey="1"></div>')),
    "an invisible box": page('<p>Hello</p><div class="g-recaptcha" data-sitekey="1" data-size="invisible"></div>'),
    "a small page behind a guard": page("<h1>Scores</h1><p>India 240/3</p>" + JSD + BEACON),
    "an app behind a guard": page('<div id="root"></div>' + SCRIPT + JSD),
    "an article behind a guard": page("<article>" + TEXT + "</article>" + JSD + BEACON),
    "a protected address": page('<a href="/cdn-cgi/l/email-protection" class="__cf_email__">mail</a>' + BEACON),
    "an app with datadome's tag": page('<div id="app"></div>' + SCRIPT,
                                       '<script src="https://js.datadome.co/tags.js" async></script>'),
    "a page with human's tag": page("<p>News</p><script>(function(){window._pxAppId='PX1';})()</script>"),
    "a page with akamai's sensor": page('<p>News</p><script src="/akam/13/5c1a8d4e" defer></script>'),
    "a page with imperva's script": page("<p>News</p>" + TEXT
                                         + '<script src="/_Incapsula_Resource?SWJIYLWA=719d34&ns=1" async></script>'),
    "a page with the SDK of aws": page("<p>News</p>",
                                       '<script src="https://a.edge.sdk.awswaf.com/a/b/challenge.js" defer></script>'),
    "somebody's text in a state": page(
        '<div id="__next"></div><script id="__NEXT_DATA__" type="application/json">{"body":"window._cf_chl_opt = {} '
        "id=px-captcha\"}</script>" + SCRIPT),
    "somebody's text in a long state": page(
        "<script>window.__STATE__={\"body\":\" window._cf_chl_opt = {} \"}</script>" + TEXT * 10 + "<p>end</p>" * 400),
    "a coding challenge": page('<form id="challenge-form"><textarea name="code"></textarea></form>' + TEXT),
    "a variable of somebody's": page("<p>News</p><script>var dd = {open: true}</script>"),
    "JSON about a captcha": b'{"title": "captcha", "reason": "challenge", "error": null, "url": "https://news/"}',
    "another error": b'{"error": {"code": 404, "reason": "Not Found"}}',
    "a site that is down": page('<div id="cf-wrapper"><div id="cf-error-details"><h1>It is down</h1></div></div>'),
    "nothing": b"",
    "no page": b"player,captcha\n1,_cf_chl_opt\n",
}  # fmt: skip
