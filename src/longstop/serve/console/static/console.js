// Joins the parts: what is heard, what is shown, what is pressed.

import { Verbs } from "/console/actions.js";
import { Board } from "/console/board.js";
import { Desk } from "/console/desk.js";
import { headline, showHead } from "/console/instance.js";
import { Link } from "/console/link.js";
import { MatchPage } from "/console/match.js";
import { News } from "/console/news.js";
import { Rounds } from "/console/rounds.js";
import { session } from "/console/session.js";
import { byId, duration, put, show } from "/console/text.js";

const SPEAK_EVERY_MS = 15000;
const LINK_WORDS = { connecting: "Connecting", live: "Live", asking: "Asking each second", lost: "Lost", locked: "Not signed in" };
const THEMES = ["", "light", "dark"];
const THEME_WORDS = { "": "as the system", light: "light", dark: "dark" };

const link = new Link(take, tellLink);
const board = new Board(link);
const titleOf = (id) => board.views.get(id)?.row?.title ?? id;
const news = new News(titleOf);
const rounds = new Rounds();
const verbs = new Verbs(titleOf);
const page = new MatchPage(link, board, verbs);
const desk = new Desk(verbs, titleOf, () => page.id === null);
let spokenAt = -SPEAK_EVERY_MS;
// For whoever measures: what taking a frame cost, in milliseconds.
const cost = (window.longstopCost = { frames: 0, last: 0, worst: 0, total: 0 });

board.onRow = (view) => { if (view.id === page.id) page.show(); };

function take(frame) {
  const began = performance.now();
  board.take(frame);
  news.take(frame);
  rounds.take(frame);
  showHead(frame.head);
  show(byId("store-lost"), !frame.head.store_answers);
  const words = headline(board.summary());
  put(byId("headline"), words);
  if (page.id === null) document.title = `${words} – Longstop`;
  else page.show();
  speak(words);
  const took = performance.now() - began;
  Object.assign(cost, { frames: cost.frames + 1, last: took, worst: Math.max(cost.worst, took), total: cost.total + took });
}

// A screen reader hears of a change, and not more often than one can listen.
function speak(words) {
  const node = byId("spoken");
  if (node.textContent === words || performance.now() - spokenAt < SPEAK_EVERY_MS) return;
  spokenAt = performance.now();
  node.textContent = words;
}

function tellLink(state) {
  document.body.dataset.link = state;
  put(byId("link-words"), LINK_WORDS[state]);
  show(byId("lost"), state === "lost");
  show(byId("locked"), state === "locked");
  if (state === "locked") session.ask("This Longstop shows its matches to nobody it does not know.");
  if (state === "lost") {
    spokenAt = -SPEAK_EVERY_MS;
    speak("Connection to Longstop lost");
  }
  tick();
}

function tick() {
  const now = link.now();
  if (link.heardAt !== null) board.tick(now);
  if (link.heardAt !== null) rounds.tick(now);
  page.tick(now);
  if (link.state !== "lost") return;
  const since = link.silentSeconds();
  put(byId("lost-words"), since === null
    ? "Nothing has come yet. Trying again."
    : `What you see was true ${duration(since)} ago. Trying again.`);
}

// Addresses: / is the list, /match/<id> is a match.

function goTo(path, isNew = true) {
  if (isNew && path !== location.pathname) history.pushState(null, "", path);
  const id = /^\/match\/([\w-]+)$/.exec(path)?.[1];
  show(byId("board"), id === undefined);
  show(byId("match"), id !== undefined);
  if (id !== undefined) {
    openMatch(id);
    return;
  }
  const left = page.id;
  page.close();
  document.title = `${byId("headline").textContent} – Longstop`;
  board.arrange();
  const row = left === null ? null : board.views.get(left)?.link;
  if (row?.isConnected) {
    row.focus({ preventScroll: true });
    row.closest(".match").scrollIntoView({ block: "center" });
  }
}

function openMatch(id) {
  page.open(id);
  document.title = `${titleOf(id)} – Longstop`;
  window.scrollTo(0, 0);
}

document.addEventListener("click", (event) => {
  const there = event.target.closest("a[href^='/match/'], a[href='/']");
  if (there === null || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  goTo(there.getAttribute("href"));
});
addEventListener("popstate", () => goTo(location.pathname, false));

// Keys.

const isTyping = () => document.activeElement?.matches("input[type=search], input[type=url], input[type=password], input[type=text], select, textarea") ?? false;

const KEYS = {
  "/": () => { if (page.id !== null) goTo("/"); byId("find").focus(); },
  j: () => board.step(1),
  k: () => board.step(-1),
  ArrowDown: () => board.step(1),
  ArrowUp: () => board.step(-1),
  n: () => byId("news").focus(),
  o: () => byId("desk").focus(),
  r: () => byId("rounds").focus(),
  t: () => turnTheme(),
  "?": () => byId("keys").showModal(),
  Escape: () => leave(),
};

function leave() {
  if (page.id !== null) goTo("/");
  else if (isTyping() || board.text || board.state !== "all") clearSearch();
}

function clearSearch() {
  byId("find").value = "";
  document.querySelector('input[name="state"][value="all"]').checked = true;
  board.find({ text: "", state: "all" });
  board.step(0);
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open], :popover-open") !== null) return;
  const isInList = page.id === null && (document.activeElement === document.body || document.activeElement.matches(".match > .teams, #matches, #find"));
  if (isTyping() && !["Escape", "ArrowDown"].includes(event.key)) return;
  if (event.key.startsWith("Arrow") && !isInList) return;
  if ("jk".includes(event.key) && page.id !== null) return;
  const act = KEYS[event.key];
  if (act === undefined) return;
  event.preventDefault();
  act();
});

// Light, dark, or as the system has it.

function turnTheme() {
  const before = document.documentElement.dataset.theme ?? "";
  const next = THEMES[(THEMES.indexOf(before) + 1) % THEMES.length];
  if (next === "") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = next;
  try { localStorage.setItem("longstop-theme", next); } catch { /* a browser that keeps nothing */ }
  showTheme();
}

function showTheme() {
  const now = document.documentElement.dataset.theme ?? "";
  byId("theme").dataset.now = now;
  byId("theme").setAttribute("aria-label", `Theme: ${THEME_WORDS[now]}`);
  byId("theme").title = `Theme: ${THEME_WORDS[now]}`;
}

byId("theme").addEventListener("click", turnTheme);
byId("help").addEventListener("click", () => byId("keys").showModal());
byId("find").addEventListener("input", (event) => board.find({ text: event.target.value }));
byId("source").addEventListener("change", (event) => board.find({ source: event.target.value }));
for (const input of document.querySelectorAll('input[name="state"]')) {
  input.addEventListener("change", () => board.find({ state: input.value }));
}
document.querySelector("form.find").addEventListener("submit", (event) => {
  event.preventDefault();
  board.step(1);
});

// A login, or its end, may open what was shut: heard anew.
document.addEventListener("longstop-session", () => {
  link.streamAgainAt = 0;
  link.open();
});

showTheme();
session.learn().then(() => desk.suit());
goTo(location.pathname, false);
setInterval(() => { if (!document.hidden) tick(); }, 1000);
link.open();
