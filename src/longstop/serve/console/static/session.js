// Who sits here. At its own machine a Longstop may be read without a login; the verbs want one, unless it says otherwise.

import { byId, put, show } from "/console/text.js";

// Whether it is worth asking who is logged in: a cookie that no script can read says nothing about itself.
const HINT = "longstop-signed-in";

class Session {
  constructor() {
    this.who = null;
    this.after = () => {};
    this.dialog = byId("login");
    byId("session").addEventListener("click", () => (this.who === null ? this.ask("") : this.leave()));
    byId("login-no").addEventListener("click", () => this.dialog.close());
    byId("login-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.enter();
    });
  }

  headers() {
    return this.who === null ? {} : { "x-csrf-token": this.who.csrf_token };
  }

  async learn() {
    if (hint() !== "yes") return;
    const answer = await fetch("/console/session", { cache: "no-store", headers: { accept: "application/json" } }).catch(() => null);
    this.become(answer?.ok ? await answer.json() : null);
  }

  become(who) {
    this.who = who;
    hint(who === null ? "" : "yes");
    const button = byId("session");
    put(button, who === null ? "Sign in" : `Sign out ${who.consumer}`);
  }

  // `after` is what was wanted: done once somebody is logged in.
  ask(words, after = () => {}) {
    this.after = after;
    put(byId("login-words"), words || "With an API key. The scope admin is needed for the verbs, read for the rest.");
    this.say("");
    byId("login-key").value = "";
    if (!this.dialog.open) this.dialog.showModal();
    byId("login-key").focus();
  }

  say(words) {
    put(byId("login-outcome"), words);
    show(byId("login-outcome"), words !== "");
  }

  async enter() {
    const body = JSON.stringify({ api_key: byId("login-key").value });
    const answer = await fetch("/console/login", {
      method: "POST", headers: { accept: "application/json", "content-type": "application/json" }, body,
    }).catch(() => null);
    const said = await answer?.json().catch(() => ({}));
    if (!answer?.ok) {
      this.say(answer === null ? "No answer came." : [said.title, said.detail, said.hint].filter(Boolean).join(". "));
      byId("login-key").select();
      return;
    }
    byId("login-key").value = "";
    this.become(said);
    this.dialog.close();
    this.after();
    document.dispatchEvent(new CustomEvent("longstop-session"));
  }

  async leave() {
    await fetch("/console/logout", { method: "POST", headers: { accept: "application/json", ...this.headers() } }).catch(() => null);
    this.become(null);
    document.dispatchEvent(new CustomEvent("longstop-session"));
  }
}

function hint(value) {
  try {
    if (value === undefined) return localStorage.getItem(HINT);
    localStorage.setItem(HINT, value);
  } catch { /* a browser that keeps nothing */ }
  return null;
}

export const session = new Session();
