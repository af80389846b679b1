// Rounds of leagues: how far each is, and of one that failed its dead letters, asked for when somebody opens it.

import { session } from "/console/session.js";
import { byId, counted, duration, make, name, put, show } from "/console/text.js";

const WORDS = { PENDING: "Asked for", LISTING: "Being listed", RUNNING: "Under way", DONE: "Done", FAILED: "Failed", CANCELLED: "Cancelled" };
const LEVELS = { DONE: "good", FAILED: "bad", RUNNING: "now", LISTING: "now" };
const PARTS = ["done", "failed", "running", "pending"];

export class Rounds {
  constructor() {
    this.lines = new Map();
    this.list = byId("rounds").querySelector("ol");
  }

  take(frame) {
    if (frame.rounds === undefined) return;
    const shown = new Set(frame.rounds.map((each) => each.id));
    for (const [id, line] of this.lines) {
      if (shown.has(id)) continue;
      line.node.remove();
      this.lines.delete(id);
    }
    frame.rounds.forEach((each, place) => this.place(this.line(each), place));
    put(byId("rounds").querySelector(".count"), String(frame.rounds.length));
    show(byId("rounds"), frame.rounds.length > 0);
  }

  line(told) {
    const line = this.lines.get(told.id) ?? new Line(told.id);
    this.lines.set(told.id, line);
    line.show(told);
    return line;
  }

  place(line, place) {
    const there = this.list.children[place];
    if (there !== line.node) this.list.insertBefore(line.node, there ?? null);
  }

  tick(now) {
    for (const line of this.lines.values()) line.tick(now);
  }
}

class Line {
  constructor(id) {
    this.id = id;
    this.failed = 0;
    this.node = make("li", "round");
    this.mark = make("span", "mark");
    this.mark.setAttribute("aria-hidden", "true");
    this.title = name("", "title");
    this.state = make("span", "word");
    this.age = make("span", "faint age-of");
    this.bar = make("div", "bar");
    this.bar.setAttribute("role", "img");
    this.parts = PARTS.map((part) => make("span", part));
    this.bar.append(...this.parts);
    this.counts = make("p", "counts");
    this.error = make("p", "wrong");
    this.letters = make("details");
    this.summary = make("summary");
    this.told = make("ul", "letters");
    this.letters.append(this.summary, this.told);
    this.letters.addEventListener("toggle", () => this.letters.open && this.ask());
    const head = make("p", "head");
    head.append(this.mark, this.title, this.state, this.age);
    this.node.append(head, this.bar, this.counts, this.error, this.letters);
  }

  show(told) {
    this.since = told.since;
    this.node.dataset.level = LEVELS[told.state] ?? "";
    put(this.title, told.title);
    put(this.state, WORDS[told.state] ?? told.state);
    PARTS.forEach((part, place) => { this.parts[place].style.flexGrow = String(told[part]); });
    const words = told.all ? this.words(told) : "Its matches are not known yet";
    this.bar.setAttribute("aria-label", words);
    show(this.bar, told.all > 0);
    put(this.counts, words);
    put(this.error, told.error);
    show(this.error, told.error !== "");
    put(this.summary, counted(told.failed, "dead letter"));
    show(this.letters, told.failed > 0);
    if (this.letters.open && this.failed !== told.failed) this.ask();
    this.failed = told.failed;
  }

  words(told) {
    const rest = PARTS.slice(1).filter((part) => told[part] > 0).map((part) => `${told[part]} ${part}`);
    return [`${told.done} of ${told.all} done`, ...rest].join(", ");
  }

  tick(now) {
    put(this.age, `${duration(Math.max(0, (now - this.since) / 1000))} ago`);
  }

  async ask() {
    const answer = await fetch(`/api/scrape/dead-letters?job_id=${encodeURIComponent(this.id)}&limit=100`, {
      cache: "no-store", headers: { accept: "application/json", ...session.headers() },
    }).catch(() => null);
    if (!answer?.ok) {
      this.told.replaceChildren(make("li", "faint", "They cannot be had at the moment."));
      return;
    }
    this.told.replaceChildren(...(await answer.json()).tasks.map(letter));
  }
}

function letter(task) {
  const line = make("li");
  const title = make("p");
  title.append(name(task.title), make("span", "faint", ` attempt ${task.attempt}`));
  line.append(title);
  for (const words of [task.error?.message, task.error?.hint]) {
    if (!words) continue;
    const said = make("p", "faint");
    said.append(name(words));
    line.append(said);
  }
  for (const place of task.evidence) line.append(make("p", "mono", place));
  return line;
}
