// The page of one match: its board, its ledger by overs, its scorecard, and all that speaks for or against it.

import { chip, drawAges, limitAt, spoken } from "/console/glyphs.js";
import { newsLine } from "/console/news.js";
import { flagWords, paceWords, startWords, stateWord } from "/console/row.js";
import { session } from "/console/session.js";
import { sheetNode } from "/console/sheet.js";
import { byId, counted, duration, make, moment, name, put, show } from "/console/text.js";

const ASK_AGAIN_MS = 2000;
const ASK_ANYWAY_MS = 10000;
const NS = "http://www.w3.org/2000/svg";

export class MatchPage {
  constructor(link, board, verbs) {
    this.link = link;
    this.board = board;
    this.verbs = verbs;
    this.place = byId("match");
    this.id = null;
  }

  open(id) {
    this.close();
    this.id = id;
    this.tag = "";
    this.shown = new Map();
    this.sheets = new Map();
    this.build();
    this.ask();
    this.show();
    this.nodes.title.focus({ preventScroll: true });
  }

  close() {
    this.id = null;
    clearTimeout(this.timer);
    this.place.replaceChildren();
  }

  get view() {
    return this.board.views.get(this.id) ?? null;
  }

  build() {
    const nodes = (this.nodes = {
      title: make("h1", "unseen"), state: make("p", "state"), mark: make("span", "mark"), word: make("span", "word"),
      about: name("", "about"), score: make("div", "bigscore"), note: make("p", "note"), balls: make("p", "balls"),
      age: make("p", "bigage"), spark: spark(), sparkWords: make("p", "faint"), flags: make("p", "flags"),
      facts: make("dl", "facts"), acts: make("div", "acts"), main: make("div", "innings"), side: make("div", "side"),
      missing: make("p", "faint", "Asking…"),
    });
    nodes.title.tabIndex = -1;
    nodes.mark.setAttribute("aria-hidden", "true");
    nodes.balls.setAttribute("role", "img");
    nodes.state.append(nodes.mark, nodes.word, " ", nodes.about);
    const back = make("a", "back", "All matches");
    back.href = "/";
    const head = make("header", "match-head");
    const left = make("div", "match-board");
    left.append(nodes.state, nodes.title, nodes.score, nodes.note, nodes.balls, nodes.flags);
    const right = make("div", "match-age");
    const label = make("p", "faint", "Age");
    right.append(label, nodes.age, nodes.spark, nodes.sparkWords);
    nodes.right = right;
    head.append(left, right);
    const grid = make("div", "match-grid");
    grid.append(nodes.main, nodes.side);
    this.place.replaceChildren(back, head, nodes.acts, nodes.facts, nodes.missing, grid);
    this.verbs.buttons(nodes.acts, this.id);
    show(nodes.acts, false); // until it is known that there is such a match
  }

  // What the board tells.
  show() {
    const view = this.view;
    if (this.id === null || view === null || view.row === null) return;
    const { row, beat } = view;
    const { nodes } = this;
    this.place.dataset.grade = view.grade;
    put(nodes.word, stateWord(row, view.grade));
    put(nodes.about, row.about ?? "");
    put(nodes.title, row.lines.map((line) => line.full).filter(Boolean).join(" v "));
    show(nodes.acts, true);
    this.showScore(row);
    put(nodes.note, row.note ?? "");
    this.part("balls", row.balls ?? [], (balls) => {
      nodes.balls.replaceChildren(...balls.map((ball) => chip(ball)).reverse());
      nodes.balls.setAttribute("aria-label", `Last balls: ${balls.map(spoken).join(", ")}`);
      show(nodes.balls, balls.length > 0);
    });
    this.part("flags", flagWords(row, beat.inARow, beat.lastMinute), (flags) => {
      nodes.flags.replaceChildren(...flags.map(([kind, words]) => make("span", `flag ${kind}`, words)));
      show(nodes.flags, flags.length > 0);
    });
    this.part("ages", view.ages, (ages) => {
      drawAges(nodes.spark, ages);
      put(nodes.sparkWords, ages ? "Peaks of the last ten minutes. Dotted: 10 s" : "");
    });
    this.verbs.suit(nodes.acts, row);
    this.showFacts(row, beat);
    this.tick(this.link.now());
    if (this.askedFor !== row && performance.now() - (this.askedAt ?? 0) > ASK_AGAIN_MS) this.ask();
  }

  showScore(row) {
    this.part("score", row.lines, (lines) => {
      this.nodes.score.replaceChildren(...lines.map((line) => {
        const node = make("p", line.batting && row.status === "live" ? "line batting" : "line");
        node.append(name(line.full, "team"), " ", make("span", "score", line.score ?? ""), " ",
          make("span", "overs", line.overs ? `(${line.overs})` : ""));
        return node;
      }));
    });
  }

  showFacts(row, beat) {
    const dossier = this.dossier ?? { sources: [{}] };
    const source = dossier.sources[0] ?? {};
    const facts = [
      ["Way", row.rung || "–", row.why],
      ["Pace", row.rests_until ? "rests" : row.watched && row.pace ? `every ${row.pace} s` : "not watched", row.rests_until ? paceWords(row, this.link.now()) : row.pace_why],
      ["Breakers", row.shut?.length ? row.shut.join(", ") : "closed", ""],
      ["Memory", beat.megabytes ? `${beat.megabytes} MB` : "not known", ""],
      ["Whole through", source.complete_through || "–", source.sequence ? `sequence ${source.sequence}` : ""],
      ["Ground", dossier.venue || "–", dossier.toss],
      ["Life", dossier.state || "–", ""],
    ];
    this.part("facts", facts, () => {
      this.nodes.facts.replaceChildren(...facts.map(([term, value, more]) => {
        const node = make("div");
        const words = make("dd", "more");
        words.append(name(more ?? ""));
        const dd = make("dd");
        dd.append(name(value));
        node.append(make("dt", "", term), dd, words);
        return node;
      }));
    });
  }

  tick(now) {
    const view = this.view;
    if (this.id === null || view === null || view.row === null) return;
    const seconds = view.age(now);
    const isUpcoming = view.row.status === "upcoming";
    put(this.nodes.age, isUpcoming ? startWords(view.row.starts ?? 0, now) : seconds === null ? "never" : duration(seconds));
    this.nodes.right.classList.toggle("late", view.isLate);
  }

  // What only the record tells.
  async ask() {
    clearTimeout(this.timer);
    const id = this.id;
    this.askedAt = performance.now();
    this.askedFor = this.view?.row ?? null;
    try {
      const headers = { accept: "application/json", ...(this.tag ? { "if-none-match": this.tag } : {}) };
      const answer = await fetch(`/ops/matches/${encodeURIComponent(id)}`, { cache: "no-store", headers, signal: AbortSignal.timeout(8000) });
      if (id !== this.id) return;
      if (answer.ok) {
        this.tag = answer.headers.get("etag") ?? "";
        this.take(await answer.json());
      } else if (answer.status !== 304) {
        const problem = await answer.json().catch(() => ({}));
        this.say(`${problem.title ?? "It cannot be shown"}. ${problem.detail ?? ""} ${problem.hint ?? ""}`);
      }
    } catch {
      if (id === this.id && this.dossier === undefined) this.say("No answer yet. Trying again.");
    }
    if (id === this.id) this.timer = setTimeout(() => this.ask(), ASK_ANYWAY_MS);
  }

  say(words) {
    put(this.nodes.missing, words);
    show(this.nodes.missing, words !== "");
  }

  take(dossier) {
    this.dossier = dossier;
    this.say(dossier.is_whole ? "" : "The database does not answer: this is what is known without it.");
    this.showSheets(dossier.sheets);
    this.showSide(dossier);
    this.show();
  }

  part(key, value, render) {
    const text = JSON.stringify(value);
    if (this.shown.get(key) === text) return;
    this.shown.set(key, text);
    render(value);
  }

  showSheets(sheets) {
    sheets.forEach((sheet, at) => {
      const key = String(sheet.number);
      let node = this.sheets.get(key);
      if (node === undefined) {
        node = sheetNode(at === 0);
        this.sheets.set(key, node);
      }
      node.take(sheet);
      if (this.nodes.main.children[at] !== node.element) this.nodes.main.insertBefore(node.element, this.nodes.main.children[at] ?? null);
    });
    if (sheets.length === 0) this.part("empty", 0, () => this.nodes.main.append(make("p", "faint", "No ball has been bowled yet.")));
    else if (this.shown.delete("empty")) this.nodes.main.querySelector(".faint")?.remove();
  }

  showSide(dossier) {
    const now = this.link.now();
    const sections = [
      ["Gaps", dossier.gaps, (gap) => gapLine(gap, now), "No gap: every ball of the board is in the record."],
      ["Sources", dossier.sources, (source) => sourceLine(source, now), ""],
      ["Held back and disagreements", dossier.journal.verdicts, (each) => entryLine(each, now), "Nothing was held back, and all ways agree."],
      ["Errors", dossier.journal.errors, (each) => entryLine(each, now, "error"), "No errors."],
      ["Corrections", dossier.corrections, (each) => correctionLine(each, now), "The source has corrected no ball."],
      ["Pace", dossier.journal.paces, (each) => paceLine(each, now), "The pace has not changed."],
      ["What happened", dossier.news, (each) => newsLine(each, now), "Nothing that anybody should be told of."],
      ["Log", dossier.journal.others, (each) => entryLine(each, now), "Nothing yet."],
    ];
    this.part("side", [dossier.gaps, dossier.sources, dossier.journal, dossier.corrections, dossier.news], () => {
      this.nodes.side.replaceChildren(...sections.map(([title, items, line, nothing]) => sideSection(title, items, line, nothing)));
    });
  }
}

function spark() {
  const svg = document.createElementNS(NS, "svg");
  svg.setAttribute("viewBox", "0 0 40 24");
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("class", "spark big");
  svg.setAttribute("role", "img");
  for (const kind of ["limit", "peaks", "above"]) {
    const path = document.createElementNS(NS, "path");
    path.setAttribute("class", kind);
    svg.append(path);
  }
  svg.querySelector(".limit").setAttribute("d", `M0 ${limitAt}H40`);
  return svg;
}

const FEW = 6;

function sideSection(title, items, line, nothing) {
  const section = make("section");
  const heading = make("h2", "", title);
  if (items.length > 1) heading.append(" ", make("span", "count", String(items.length)));
  section.append(heading);
  if (items.length === 0) section.append(make("p", "faint", nothing));
  else section.append(listOf(items.slice(0, FEW), line));
  if (items.length > FEW) {
    const rest = make("details");
    rest.append(make("summary", "", `${items.length - FEW} more`), listOf(items.slice(FEW), line));
    section.append(rest);
  }
  return section;
}

function listOf(items, line) {
  const list = make("ol", "news");
  list.append(...items.map(line));
  return list;
}

function happening(level, what, at, now, words, hint = "") {
  const item = make("li", "happening");
  item.dataset.level = level;
  const head = make("p", "what");
  const mark = make("span", "mark");
  mark.setAttribute("aria-hidden", "true");
  head.append(mark, make("strong", "", what), " ", make("time", "", at === null ? "" : moment(at, now)));
  item.append(head);
  for (const [kind, text] of [["words", words], ["hint", hint]]) {
    if (!text) continue;
    const node = make("p", kind);
    node.append(name(text));
    item.append(node);
  }
  return item;
}

function gapLine(gap, now) {
  const missing = [["ball", gap.balls], ["run", gap.runs], ["wicket", gap.wickets]]
    .filter(([, count]) => count > 0).map(([word, count]) => counted(count, word)).join(", ");
  const overs = gap.first_over === gap.last_over ? `over ${gap.first_over}` : `overs ${gap.first_over} to ${gap.last_over}`;
  const level = { open: "warning", repaired: "good" }[gap.state] ?? "error";
  const closed = gap.closed ? `closed after ${duration((gap.closed - gap.opened) / 1000)}` : "";
  const state = { open: "Gap open", repaired: "Gap repaired", unrecoverable: "Gap for good" }[gap.state] ?? gap.state;
  return happening(level, state, gap.opened, now, [`Innings ${gap.innings}, ${overs}`, missing && `${missing} missing`, gap.cause, closed].filter(Boolean).join(" · "));
}

function sourceLine(source, now) {
  const item = happening("note", source.source, source.said, now, [source.score, source.rung && `by ${source.rung}`, source.why].filter(Boolean).join(" · "));
  if (source.payload) item.append(make("p", "hint mono", `payload ${source.payload.slice(0, 16)}…`));
  if (source.url) item.append(make("p", "hint mono", source.url));
  return item;
}

function entryLine(each, now, usual = "note") {
  const level = { "held back": "warning", "breaker opened": "warning" }[each.what] ?? usual;
  const what = (each.count ?? 1) > 1 ? `${each.what} × ${each.count}` : each.what;
  const item = happening(level, what, Date.parse(each.at), now, each.text, each.hint);
  for (const file of each.evidence ?? []) item.append(keptLine(file));
  return item;
}

const KEPT = /^(error_pages|errors)\/[\w.-]+$/;

// A page or picture of a failure: opened beside this page, by whoever may.
function keptLine(file) {
  const line = make("p", "hint mono", "kept: ");
  if (!KEPT.test(file)) {
    line.append(file);
    return line;
  }
  const link = make("a", "", file);
  link.href = `/admin/evidence/${file}`;
  link.target = "_blank";
  link.rel = "noopener";
  link.addEventListener("click", (event) => openKept(event, link.href));
  line.append(link);
  return line;
}

async function openKept(event, address) {
  if (session.who !== null) return;
  event.preventDefault();
  const answer = await fetch(address, { method: "HEAD", cache: "no-store" }).catch(() => null);
  if (answer?.status === 401) session.ask("What was kept of a failure is opened with a login: the scope admin is needed.", () => window.open(address, "_blank", "noopener"));
  else window.open(address, "_blank", "noopener");
}

function correctionLine(each, now) {
  const item = happening("note", each.place, each.at, now, "");
  const words = make("p", "words");
  if (each.after === "") words.append(chip(each.before), " was taken back");
  else words.append(chip(each.before), " became ", chip(each.after, true));
  item.append(words);
  return item;
}

const paceLine = (each, now) => happening("note", `every ${each.after} s`, Date.parse(each.at), now, `${each.reason}; before that every ${each.before} s`);
