// Asks for the board once a second, shows what changed, and says clearly when it cannot.

import { MatchView, duration, put } from "/console/rows.js";

const ASK_EVERY_MS = 1000;
const ANSWER_WITHIN_MS = 4000;
const RETRY_MS_MAX = 5000;
const SPEAK_EVERY_MS = 15000;
const SECTIONS = ["attention", "attention", "play", "break", "upcoming", "over"];

const byId = (id) => document.getElementById(id);
const template = byId("row");
const sections = Object.fromEntries([...new Set(SECTIONS)].map((name) => {
  const section = byId(`s-${name}`);
  return [name, { section, list: section.querySelector("ol"), count: section.querySelector(".count"), ids: "" }];
}));

const views = new Map();
const known = { revision: 0, epoch: "", head: null };
const link = { answeredAt: null, serverAhead: 0, failures: 0, state: "connecting" };
let wanted = "";
let spokenAt = -SPEAK_EVERY_MS;
let timer = 0;

// The server's clock, carried on by this browser's monotonic one: a wrong clock here makes no age wrong.
const serverNow = () => performance.now() + link.serverAhead;

async function ask() {
  const query = new URLSearchParams({ after: known.revision, epoch: known.epoch });
  const answer = await fetch(`/ops/board?${query}`, {
    cache: "no-store", headers: { accept: "application/json" }, signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  });
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  return answer.json();
}

async function turn() {
  try {
    take(await ask());
    link.failures = 0;
  } catch {
    link.failures += 1;
    setLink("lost");
  }
  tick();
  const wait = link.failures ? Math.min(RETRY_MS_MAX, ASK_EVERY_MS * link.failures) : ASK_EVERY_MS;
  if (!document.hidden) timer = setTimeout(turn, wait);
}

function take(answer) {
  link.answeredAt = performance.now();
  link.serverAhead = answer.now - link.answeredAt;
  setLink("live");
  const isNewLife = known.epoch !== "" && answer.epoch !== known.epoch;
  Object.assign(known, { revision: answer.revision, epoch: answer.epoch, head: answer.head });
  let isMoved = isNewLife;
  for (const row of answer.rows) isMoved = showRow(row) || isMoved;
  for (const beat of answer.pulse) isMoved = (views.get(beat[0])?.beat(beat) ?? false) || isMoved;
  isMoved = dropOthers(answer.pulse) || isMoved;
  if (isMoved) arrange();
  showHead(answer.head);
}

function showRow(row) {
  let view = views.get(row.id);
  const isNew = view === undefined;
  if (isNew) {
    view = new MatchView(template, row.id);
    views.set(row.id, view);
  }
  view.show(row);
  return isNew;
}

function dropOthers(pulse) {
  if (pulse.length === views.size) return false;
  const present = new Set(pulse.map((beat) => beat[0]));
  for (const [id, view] of views) {
    if (present.has(id)) continue;
    view.element.remove();
    views.delete(id);
  }
  return true;
}

// Rows keep their place unless their grade changes: a list that jumps cannot be read.
function arrange() {
  const groups = Object.fromEntries(Object.keys(sections).map((name) => [name, []]));
  let found = 0;
  for (const view of views.values()) {
    if (!view.matches(wanted)) {
      view.element.remove();
      continue;
    }
    found += 1;
    groups[SECTIONS[view.grade]].push(view);
  }
  for (const [name, group] of Object.entries(groups)) fill(sections[name], group, name);
  put(byId("found"), wanted ? `${found} of ${views.size}` : "");
  const nothing = byId("nothing");
  nothing.hidden = found > 0 || link.answeredAt === null;
  put(nothing, views.size ? "No match fits." : "No match is known yet. They appear here as soon as a source lists them.");
}

function fill(place, group, name) {
  const byName = (a, b) => a.grade - b.grade || a.row.title.localeCompare(b.row.title) || (a.id < b.id ? -1 : 1);
  const byStart = (a, b) => (a.row.starts ?? Infinity) - (b.row.starts ?? Infinity) || byName(a, b);
  group.sort(name === "upcoming" ? byStart : byName);
  place.section.hidden = group.length === 0;
  put(place.count, String(group.length));
  group.forEach((view, index) => {
    const there = place.list.children[index];
    if (there !== view.element) place.list.insertBefore(view.element, there ?? null);
  });
}

function counts() {
  let live = 0;
  let troubled = 0;
  for (const view of views.values()) {
    if (view.grade <= 3) live += 1;
    if (view.grade <= 1) troubled += 1;
  }
  return { live, troubled };
}

function headline() {
  const { live, troubled } = counts();
  if (live === 0) return "Nothing is live right now";
  const matches = live === 1 ? "1 match live" : `${live} matches live`;
  if (troubled === 0) return live === 1 ? `${matches} and fresh` : `${matches}, all fresh`;
  return `${matches}, ${troubled} ${troubled === 1 ? "needs" : "need"} attention`;
}

function showHead(head) {
  const words = headline();
  put(byId("headline"), words);
  document.title = `${words} – Longstop`;
  speak(words);
  const seconds = (value) => (head.ages ? `${value.toFixed(1)} s` : "–");
  put(byId("f-status"), head.status);
  byId("f-status").dataset.status = head.status;
  put(byId("f-p50"), seconds(head.ages?.p50));
  put(byId("f-p99"), seconds(head.ages?.p99));
  put(byId("f-max"), seconds(head.ages?.max));
  put(byId("f-updates"), String(head.updates_per_minute));
  put(byId("f-errors"), String(head.errors_last_minute));
  put(byId("f-memory"), head.memory_mb ? `${Math.round(head.memory_mb)} MB` : "–");
  put(byId("f-uptime"), duration(head.uptime_seconds));
  put(byId("f-version"), `${head.name} ${head.version}`);
  byId("store-lost").hidden = head.store_answers;
}

// A screen reader hears of a change, and not more often than one can listen.
function speak(words) {
  const node = byId("spoken");
  if (node.textContent === words || performance.now() - spokenAt < SPEAK_EVERY_MS) return;
  spokenAt = performance.now();
  node.textContent = words;
}

function setLink(state) {
  if (link.state === state) return;
  link.state = state;
  document.body.dataset.link = state;
  byId("lost").hidden = state !== "lost";
  if (state === "lost") {
    spokenAt = -SPEAK_EVERY_MS;
    speak("Connection to Longstop lost");
  }
}

function tick() {
  const now = serverNow();
  if (link.answeredAt !== null) for (const view of views.values()) view.tick(now);
  if (link.state !== "lost") return;
  const since = link.answeredAt === null ? null : (performance.now() - link.answeredAt) / 1000;
  put(byId("lost-words"), since === null
    ? "Nothing has come yet. Trying again."
    : `What you see was true ${duration(since)} ago. Trying again.`);
}

function resume() {
  clearTimeout(timer);
  if (!document.hidden) turn();
}

function moveFocus(event) {
  const links = [...document.querySelectorAll(".match a.teams")];
  const at = links.indexOf(document.activeElement);
  if (at < 0) return;
  const next = links[at + (event.key === "ArrowDown" ? 1 : -1)];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}

function onKey(event) {
  const isTyping = document.activeElement === byId("find");
  if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    byId("find").focus();
  } else if (event.key === "ArrowDown" && isTyping) {
    event.preventDefault();
    document.querySelector(".match a.teams")?.focus();
  } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    moveFocus(event);
  }
}

byId("find").addEventListener("input", (event) => {
  wanted = event.target.value.trim().toLowerCase();
  arrange();
});
document.querySelector("form.find").addEventListener("submit", (event) => event.preventDefault());
document.addEventListener("keydown", onKey);
document.addEventListener("visibilitychange", resume);
setInterval(() => { if (!document.hidden) tick(); }, 1000);
turn();
