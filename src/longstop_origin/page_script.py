"""The script of the match page: it polls and renders, gets itself tokens, and misbehaves when it is told to.

What differs from page to page stands in `script#page-options`; the script itself is the same for all.
"""

from msgspec import Struct

from longstop_origin.sessions import PROOF_ROUNDS

POLL_SECONDS = 2.0


class PageOptions(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Times in seconds; zero and empty for what the page does not do. `part` is the id of what
    the server renders anew."""

    key: str
    teams: str = ""
    nonce: str = ""
    part: str = ""
    wants_token: bool = False
    poll_seconds: float = POLL_SECONDS
    leak_megabytes_per_minute: float = 0.0
    hang_seconds: float = 0.0
    silent_seconds: float = 0.0


# The twin of sessions.mix.
SUM = """
  function mix(text, rounds) {
    var value = 0x2545f491, turn, place;
    for (turn = 1; turn <= rounds; turn += 1) {
      for (place = 0; place < text.length; place += 1) {
        value = ((Math.imul(value ^ text.charCodeAt(place), 0x9e3779b1) ^ (value >>> 15)) + turn) >>> 0;
      }
    }
    return ("0000000" + value.toString(16)).slice(-8);
  }
"""

# `names` are those of the players by their codes.
# Renders what getSV3 says. Texts go in as texts, never as markup.
RENDER = """
  function put(node, text) { if (node && node.textContent !== text) { node.textContent = text; } }
  function split(score) {
    var latest = String(score || "").split("&").pop().split("(");
    return [latest[0] || "", latest[1] || ""];
  }
  function add(box, name, text) {
    var node = document.createElement("span");
    node.className = name;
    node.textContent = text;
    box.appendChild(node);
  }
  function overs(state) {
    var box = document.querySelector("#slideOver");
    while (box.firstChild) { box.removeChild(box.firstChild); }
    (state.rb || []).slice().reverse().forEach(function (over) {
      var slide = document.createElement("div");
      slide.className = "overs-slide";
      slide.setAttribute("data-over", String(over.o));
      add(slide, "over-label", "Over " + (over.o + 1));
      over.b.forEach(function (ball) { add(slide, "over-ball", ball.u); });
      box.appendChild(slide);
    });
  }
  function known() {
    var text = document.getElementById("app-root-state").textContent;
    [["&g;", ">"], ["&l;", "<"], ["&s;", "'"], ["&q;", '"'], ["&a;", "&"]].forEach(function (pair) {
      text = text.split(pair[0]).join(pair[1]);
    });
    return JSON.parse(text).names.p;
  }
  function player(box, name, code) {
    var row = document.createElement("div");
    row.className = name + "-info";
    row.setAttribute("data-code", code);
    add(row, name + "-name", names[code] || code);
    box.appendChild(row);
    return row;
  }
  function crease(state) {
    var box = document.querySelector(".at-crease");
    var bowls = String(state.bw || "").split("."), balls = Number(bowls[2]), row;
    while (box.firstChild) { box.removeChild(box.firstChild); }
    [state.p1, state.p2].filter(Boolean).forEach(function (text) {
      var figures = text.replace("*", "").split(".");
      row = player(box, "batsmen", figures[0]);
      add(row, "batsmen-strike", text.slice(-1) === "*" ? "*" : "");
      add(row, "batsmen-score", figures[1] + " (" + figures[2] + ")");
    });
    if (bowls.length === 5) {
      row = player(box, "bowler", bowls[0]);
      add(row, "bowler-score", bowls[4] + "-" + bowls[1] +
        " (" + Math.floor(balls / state.bpo) + "." + balls % state.bpo + ")");
    }
  }
  function rate(state) {
    var innings = (state["in"] || []).slice(-1)[0];
    var parts = innings ? innings.d.split(/[\\/(]/) : [];
    return parts.length === 3 && parts[2] > 0 ? (parts[0] * state.bpo / parts[2]).toFixed(2) : "";
  }
  function render(state) {
    var codes = String(state.a || "").split(".");
    [state.j, state.k].forEach(function (score, place) {
      var spans = document.querySelectorAll('.team-content[data-code="' + codes[place] + '"] .runs span');
      put(spans[0], split(score)[0]);
      put(spans[1], split(score)[1]);
    });
    put(document.querySelector(".result-box span"), String(state.B || ""));
    put(document.querySelector(".team-run-rate .data"), rate(state));
    put(document.querySelector(".final-result.m-none"), state.ps === "E" ? String(state.B || "") : "");
    var part = document.getElementById("score-part");
    part.setAttribute("data-innings", String((state["in"] || []).length));
    part.setAttribute("data-state", String(state.ps || ""));
    put(document.querySelector(".announcement"), String(state.C || ""));
    crease(state);
    overs(state);
  }
"""

# A token is renewed before it ends: in the last third of its life, and five seconds before where that is possible.
RENEWAL = """
  var token = { text: "", renewFrom: 0, nonce: options.nonce || "" };
  function renewed() {
    var proof = mix(token.nonce + "|" + options.key + "|" + (options.teams || ""), $rounds);
    return fetch("/auth/session", {
      method: "POST", cache: "no-store", headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ key: options.key, nonce: token.nonce, proof: proof })
    }).then(decoded).then(function (grant) {
      var life = grant.expires_in * 1000;
      var spare = Math.min(Math.max(life / 3, 5000), life / 2);
      token = { text: grant.token, renewFrom: Date.now() + life - spare, nonce: grant.nonce };
    });
  }
  function headers() {
    if (!options.wants_token) { return Promise.resolve({}); }
    var ready = Date.now() < token.renewFrom ? Promise.resolve() : renewed();
    return ready.then(function () { return { Authorization: "Bearer " + token.text }; });
  }
"""

POLL = """
  function decoded(answer) {
    if (answer.status === 401) { token.renewFrom = 0; }
    if (!answer.ok) { throw new Error(String(answer.status)); }
    return answer.json();
  }
  function state() {
    return headers().then(function (sent) {
      return fetch("/api/v3/getSV3?key=" + encodeURIComponent(options.key), { cache: "no-store", headers: sent });
    }).then(decoded).then(render);
  }
  function part() {
    return fetch("/partial/score/" + encodeURIComponent(options.key), { cache: "no-store" }).then(function (answer) {
      if (!answer.ok) { throw new Error(String(answer.status)); }
      return answer.text();
    }).then(function (html) { document.getElementById(options.part).outerHTML = html; });
  }
  function poll() {
    if (options.silent_seconds && Date.now() - began > options.silent_seconds * 1000) { return; }
    (options.part ? part() : state())
      .catch(function () { return undefined; })
      .then(function () { window.setTimeout(poll, 1000 * (options.poll_seconds || $seconds)); });
  }
"""

# What it takes it keeps, and it writes into it, so that the memory is really used.
MISCHIEF = """
  var taken = [];
  function leak() {
    var bytes = new Uint8Array(Math.ceil(options.leak_megabytes_per_minute * 1048576 / 60));
    var count, node, box = document.createElement("div");
    bytes.fill(1 + taken.length % 255);
    taken.push(bytes);
    box.hidden = true;
    box.className = "left-over";
    for (count = 0; count < 50; count += 1) {
      node = document.createElement("i");
      node.textContent = String(taken.length * 50 + count);
      box.appendChild(node);
    }
    document.body.appendChild(box);
  }
  if (options.leak_megabytes_per_minute) { window.setInterval(leak, 1000); }
  if (options.hang_seconds) {
    window.setTimeout(function () { for (;;) { began += 0; } }, options.hang_seconds * 1000);
  }
"""

BEGIN = """
(function () {
  "use strict";
  var options = JSON.parse(document.getElementById("page-options").textContent);
  var began = Date.now();
  var names = {};
"""

SCRIPT = (
    (BEGIN + SUM + RENDER + RENEWAL + POLL + MISCHIEF + "  if (!options.part) { names = known(); }\n  poll();\n}());\n")
    .replace("$seconds", str(POLL_SECONDS))
    .replace("$rounds", str(PROOF_ROUNDS))
)
