"""The script of the match page: it asks for what it shows, with the pass that its page was given.

Another match is shown without loading the page again when the part of the address after # changes.
"""

from string import Template

from longstop_origin.football.passes import HEADER
from longstop_origin.page_script import SUM
from longstop_origin.sessions import PROOF_ROUNDS

MATCH_SCRIPT = Template("""(function () {
  "use strict";
$sum
  var state = JSON.parse(document.getElementById("__NEXT_DATA__").textContent).props.pageProps;
  var parts = ["", "/lineups", "/incidents", "/statistics"];
  function put(id, text) { document.getElementById(id).textContent = text; }
  function portraits(squad) {
    var box = document.getElementById("portraits");
    ["home", "away"].forEach(function (side) {
      ((squad[side] || {}).players || []).forEach(function (row) {
        if (row.substitute) { return; }
        var picture = document.createElement("img");
        picture.width = picture.height = 40;
        picture.alt = row.player.name;
        picture.src = "/img/api/v1/player/" + row.player.id + "/image";
        box.appendChild(picture);
      });
    });
  }
  function show(part, answer) {
    if (part === "") {
      put("teams", answer.event.homeTeam.name + " - " + answer.event.awayTeam.name);
      put("status", answer.event.status.description);
    } else if (part === "/lineups") {
      put("lineups", answer.confirmed ? "confirmed" : "expected");
      portraits(answer);
    } else if (part === "/incidents") {
      put("incidents", answer.incidents.length + " incidents");
    } else {
      put("statistics", answer.statistics.length + " periods");
    }
  }
  function ask(id, part) {
    var headers = { Accept: "*/*" };
    if (state.pass) { headers["$header"] = state.pass + "." + mix(state.pass, $rounds); }
    return fetch("/api/v1/event/" + id + part, { headers: headers, credentials: "same-origin" })
      .then(function (answer) { return answer.ok ? answer.json() : null; })
      .then(function (answer) { if (answer) { show(part, answer); } }, function () { return null; });
  }
  function load() {
    var named = /#id:(\\d+)/.exec(window.location.hash), id = named ? named[1] : state.eventId;
    document.body.setAttribute("data-state", "loading");
    Promise.all(parts.map(function (part) { return ask(id, part); })).then(function () {
      document.body.setAttribute("data-state", "loaded");
    });
  }
  window.addEventListener("hashchange", load);
  load();
}());
""").substitute(sum=SUM, header=HEADER, rounds=PROOF_ROUNDS)
