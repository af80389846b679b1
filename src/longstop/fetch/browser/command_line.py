"""How Chromium is started: which switches and which environment. Pure."""

import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

_KIND = re.compile(r"--type=(\S+)")

MARK_SWITCH = "--longstop-mark="
MARK_VARIABLE = "LONGSTOP_MARK"

# Chromium puts a socket of 45 characters below its temporary folder, and a socket's path may have 107.
TEMPORARY_PATH_MAX = 60

# A second --disable-features replaces Playwright's, so what of it matters here is named again.
DISABLED_FEATURES = (
    "AvoidCorsURLLoaderRestartOnRedirect",  # redirects of preflighted calls fail while requests are intercepted
    "AvoidUnnecessaryBeforeUnloadCheckSync",  # navigations hang in an intercepted page
    "DestroyProfileOnBrowserClose",  # closing the last page would end the browser
    "HttpsFirstBalancedModeAutoEnable",  # http stays http
    "HttpsUpgrades",  # the same
    "LensOverlay",  # a part of the window nobody sees
    "MediaRouter",  # looks for devices in the local network
    "PaintHolding",  # screenshots of the page before
    "ThirdPartyStoragePartitioning",  # cookies as the sites expect them
    "NetworkTimeServiceQuerying",  # asks Google for the time
    "OptimizationHints",  # downloads models
    "OptimizationGuideModelDownloading",  # the same
    "PreconnectToSearch",  # connects to the search engine
    "AimEnabled",  # asks the search engine what it can do
    "SpareRendererForSitePerProcess",  # a renderer in stock; without it a new process belongs to a new page
    "WebUIOmniboxPopup",  # each window would carry a renderer for its address bar: 40 MB for each context
    "WebUIOmniboxAimPopup",  # the same
    "WebUIOmniboxFullPopup",  # the same
)

# Where nobody listens. Two calls home are left that no other switch stops: they are sent here.
NOWHERE = "http://127.0.0.1:9/"

SWITCHES = (
    f"--component-updater=url-source={NOWHERE}",
    "--disable-background-networking",
    "--disable-client-side-phishing-detection",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--disable-domain-reliability",
    "--disable-quic",
    "--disable-sync",
    "--dns-prefetch-disable",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    f"--gaia-url={NOWHERE}",
    "--metrics-recording-only",
    "--no-first-run",
    "--no-pings",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
)

# The rest of our environment may hold secrets, and a browser needs none of it.
_HANDED_DOWN = frozenset({"DISPLAY", "HOME", "LANG", "LANGUAGE", "LD_LIBRARY_PATH", "PATH", "TZ", "USER"})
_HANDED_DOWN_FAMILIES = ("LC_", "FONTCONFIG_")


def switches(mark: str, proxy: str | None) -> list[str]:
    listed = [f"{MARK_SWITCH}{mark}", *SWITCHES, f"--disable-features={','.join(DISABLED_FEATURES)}"]
    if proxy is not None:
        # A name that something tries to look up beside the proxy does not exist.
        host = urlsplit(proxy if "://" in proxy else f"http://{proxy}").hostname or ""
        listed.append(f"--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE {host}")
    return listed


def environment(inherited: Mapping[str, str], mark: str, folder: Path, temporary: str) -> dict[str, str]:
    """Everything the browser writes goes below the unit's folder."""
    kept = {
        key: value for key, value in inherited.items() if key in _HANDED_DOWN or key.startswith(_HANDED_DOWN_FAMILIES)
    }
    own = {
        MARK_VARIABLE: mark,
        "TMPDIR": temporary,
        "XDG_CACHE_HOME": str(folder / "cache"),
        "XDG_CONFIG_HOME": str(folder / "config"),
    }
    return kept | own


def mark_of(arguments: list[str]) -> str | None:
    """The mark on a command line; None when it is not one of ours."""
    return next((word.removeprefix(MARK_SWITCH) for word in arguments if word.startswith(MARK_SWITCH)), None)


def kind_of(arguments: list[str]) -> str:
    """Chromium's word for what a process of its is for; its children write their whole line as one word."""
    found = _KIND.search(" ".join(arguments))
    return found[1] if found else ""
