// What an operator may ask for: each is confirmed first, and its outcome is said in the same place.

import { session } from "/console/session.js";
import { byId, make, put } from "/console/text.js";

const ANSWER_WITHIN_MS = 660000;
const RUNGS = ["auto", "replay", "in_page", "intercept", "dom"];

export const VERBS = {
  recycle: { title: "Recycle browsers", words: "Every browser is replaced, the successor first. Matches go on meanwhile.", path: () => "/admin/recycle", yes: "Recycle" },
  reload: { title: "Reload settings", words: "The settings are read again; all of them are taken, or none.", path: () => "/admin/reload", yes: "Reload" },
  start: { title: "Watch a match", words: "The match at this address is watched from now on.", path: () => "/admin/matches", yes: "Watch", field: "url" },
  enable: { title: "Switch on", words: "The source is asked from now on, until the next start: then the settings decide again.", path: ofSource("enable"), yes: "Switch on" },
  disable: { title: "Switch off", words: "The source is asked no more. Its matches stay in the record, and go on when it is switched on again.", path: ofSource("disable"), yes: "Switch off" },
  restart: { title: "Restart", words: "A new scraper takes over; the old one leaves when the new one has delivered.", path: of("restart"), yes: "Restart" },
  pause: { title: "Pause", words: "The match is left alone until somebody resumes it. Nothing of it is scraped meanwhile.", path: of("pause"), yes: "Pause" },
  resume: { title: "Resume", words: "The match begins afresh now.", path: of("resume"), yes: "Resume" },
  rung: { title: "Choose its way", words: "The match is fetched this way first, until it rests or ends; the others serve while it fails. Auto lets the ladder decide.", path: of("rung"), yes: "Choose", field: "rung" },
  stop: { title: "Stop", words: "The match is no longer watched until it is listed again, some minutes from now. What was stored stays.", path: of("stop"), yes: "Stop" },
};
const OF_A_MATCH = ["restart", "pause", "resume", "rung", "stop"];

function of(verb) {
  return (id) => `/admin/matches/${encodeURIComponent(id)}/${verb}`;
}

function ofSource(verb) {
  return (name) => `/admin/sources/${encodeURIComponent(name)}/${verb}`;
}

export class Verbs {
  constructor(titleOf) {
    this.titleOf = titleOf;
    this.dialog = byId("ask");
    this.yes = byId("ask-yes");
    this.yes.addEventListener("click", () => this.go());
    byId("ask-no").addEventListener("click", () => this.dialog.close());
    this.dialog.querySelector("form").addEventListener("submit", (event) => {
      event.preventDefault();
      if (!this.yes.hidden) this.go();
    });
    this.dialog.addEventListener("close", () => this.back?.focus?.());
    for (const button of document.querySelectorAll("[data-verb]")) {
      button.addEventListener("click", () => {
        byId("actions").hidePopover();
        this.ask(button.dataset.verb);
      });
    }
  }

  buttons(place, id) {
    for (const verb of OF_A_MATCH) {
      const button = make("button", "quiet", VERBS[verb].title);
      button.type = "button";
      button.dataset.of = verb;
      button.addEventListener("click", () => this.ask(verb, id));
      place.append(button);
    }
  }

  // A verb that the match cannot follow now is not offered.
  suit(place, row) {
    const rests = Boolean(row.rests_until);
    for (const button of place.querySelectorAll("[data-of]")) {
      const isFit = button.dataset.of === "resume" ? rests : button.dataset.of === "stop" ? row.watched : row.watched && !rests;
      if (button.disabled === isFit) button.disabled = !isFit;
    }
  }

  ask(name, id = "") {
    this.verb = { name, id, ...VERBS[name] };
    this.back = id ? document.activeElement : byId("actions-button");
    put(byId("ask-title"), id ? `${this.verb.title}: ${this.titleOf(id)}` : this.verb.title);
    put(byId("ask-words"), this.verb.words);
    this.say("", "");
    byId("ask-fields").replaceChildren(...this.fields());
    this.offer(this.verb.yes);
    this.dialog.showModal();
    (this.dialog.querySelector("#ask-fields input, #ask-fields select") ?? this.yes).focus();
  }

  fields() {
    if (this.verb.field === "url") return labelled("Address", Object.assign(make("input"), { type: "url", name: "url", required: true, placeholder: "https://…" }));
    if (this.verb.field === "rung") {
      const select = Object.assign(make("select"), { name: "rung" });
      select.append(...RUNGS.map((rung) => make("option", "", rung)));
      return labelled("Way", select);
    }
    return [];
  }

  offer(words) {
    this.yes.hidden = words === "";
    put(this.yes, words);
    this.yes.disabled = false;
    put(byId("ask-no"), words === "" ? "Close" : "Cancel");
  }

  async go() {
    const field = this.dialog.querySelector("#ask-fields input, #ask-fields select");
    if (field !== null && !field.reportValidity()) return;
    this.yes.disabled = true;
    this.say("Asked. Waiting for the outcome…", "");
    const body = field === null ? undefined : JSON.stringify({ [field.name]: field.value });
    try {
      const answer = await fetch(this.verb.path(this.verb.id), {
        method: "POST", headers: { accept: "application/json", "content-type": "application/json", ...session.headers() },
        body, signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      });
      await this.tell(answer);
    } catch {
      this.say("No answer came. It may have been done all the same; look before asking again.", "bad");
      this.offer(this.verb.yes);
    }
  }

  async tell(answer) {
    const said = await answer.json().catch(() => ({}));
    if (answer.ok) {
      this.say(outcomeWords(this.verb, said), "good");
      this.offer("");
      byId("ask-no").focus();
      document.dispatchEvent(new CustomEvent("longstop-verb"));
      return;
    }
    if (answer.status === 401) {
      // Whoever is not known yet is asked who he is, and then it is done.
      this.say("", "");
      this.offer(this.verb.yes);
      this.dialog.close();
      session.ask(`${this.verb.title} needs a login.`, () => {
        this.dialog.showModal();
        this.go();
      });
      return;
    }
    this.say([`${said.title ?? `Refused (${answer.status})`}.`, said.detail, said.hint].filter(Boolean).join(" "), "bad");
    this.offer(this.verb.yes);
  }

  say(words, level) {
    const place = byId("ask-outcome");
    place.dataset.level = level;
    put(place, words);
  }
}

function labelled(words, field) {
  const label = make("label", "field-of", words);
  label.append(field);
  return [label];
}

function outcomeWords(verb, said) {
  if (verb.name !== "reload") return `Done: ${verb.title.toLowerCase()}${verb.id || said.match_id ? `, ${verb.id || said.match_id}` : ""}.`;
  const changed = [...(said.applied ?? [])].map((each) => `${each.setting}: ${each.before} → ${each.after}`);
  const waiting = (said.needs_restart ?? []).map((each) => each.setting);
  const parts = [changed.length ? changed.join("; ") : "nothing has changed", waiting.length ? `needs a restart: ${waiting.join(", ")}` : ""];
  return `Done: ${parts.filter(Boolean).join(". ")}.`;
}
