"""A page that tries every way a browser has to reach an address that it should not reach."""

from html import escape
from string import Template

import msgspec

PAGE = Template("""<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>Hostile</title>
<meta http-equiv="refresh" content="2;url=$canary/refresh">
<link rel="prefetch" href="$canary/prefetch">
<link rel="preload" as="script" href="$canary/preload">
<link rel="preconnect" href="$canary/preconnect">
<link rel="dns-prefetch" href="$canary/dns">
<link rel="stylesheet" href="$canary/style">
<link rel="icon" href="$canary/icon">
</head>
<body>
$trouble
</body>
</html>
""")

TROUBLE = Template("""<iframe src="$canary/iframe" title="frame"></iframe>
<iframe name="nowhere" title="nowhere"></iframe>
<img src="$canary/img" alt="">
<object data="$canary/object"></object>
<video src="$canary/video" autoplay></video>
<script src="$canary/script" async></script>
<form id="hostile-form" action="$canary/form" method="post" target="nowhere"><input name="a" value="b"></form>
<script>
(function () {
  "use strict";
  var canary = $text;
  function attempt(what) { try { what(); } catch (_) { return; } }
  attempt(function () { fetch(canary + "/fetch", { mode: "no-cors" }).catch(function () { return undefined; }); });
  attempt(function () { var call = new XMLHttpRequest(); call.open("GET", canary + "/xhr"); call.send(); });
  attempt(function () { navigator.sendBeacon(canary + "/beacon", "b"); });
  attempt(function () { return new WebSocket(canary.replace(/^http/, "ws") + "/socket"); });
  attempt(function () { return new EventSource(canary + "/events"); });
  attempt(function () {
    var script = new Blob(["importScripts(" + JSON.stringify(canary + "/worker") + ")"], { type: "text/javascript" });
    return new Worker(URL.createObjectURL(script));
  });
  attempt(function () {
    var server = { urls: "stun:" + canary.replace(/^\\w+:/, "").replace(/\\//g, "") };
    var rtc = new RTCPeerConnection({ iceServers: [server] });
    rtc.createDataChannel("a");
    rtc.createOffer().then(function (offer) { return rtc.setLocalDescription(offer); });
  });
  attempt(function () { window.open(canary + "/window"); });
  attempt(function () { document.getElementById("hostile-form").submit(); });
}());
</script>""")


def hostile_page(canary: str) -> bytes:
    address = canary.rstrip("/")
    return PAGE.substitute(canary=escape(address), trouble=trouble(address)).encode()


def trouble(canary: str) -> str:
    """What can be put into the body of any page."""
    address = canary.rstrip("/")
    text = msgspec.json.encode(address).decode().replace("<", "\\u003c")
    return TROUBLE.substitute(canary=escape(address), text=text)
