// One match in the list. Far from what is seen it is a link with its score and nothing else; near it, all its cells.

import { chip, drawAges, limitAt, spoken } from "/console/glyphs.js";
import { counted, duration, make, moment, put, show } from "/console/text.js";

const PLAY_WORDS = {
  not_started: "Not started", play: "In play", drinks: "Drinks", lunch: "Lunch", tea: "Tea", stumps: "Stumps",
  innings_break: "Innings break", rain: "Rain", ended: "Ended", unknown: "Live",
};
const STATUS_WORDS = { upcoming: "To come", completed: "Finished", abandoned: "Abandoned" };
export const GRADES = ["failing", "degraded", "play", "break", "upcoming", "over"];
export const LATE_SECONDS = 10;

export function stateWord(row, grade) {
  if (grade === "failing") return "Failing";
  if (row.rests_until && grade === "degraded") return "Resting";
  if (grade === "degraded") return row.stale ? "Stale" : "Degraded";
  return STATUS_WORDS[row.status] ?? PLAY_WORDS[row.play] ?? "Live";
}

export function startWords(starts, now) {
  const seconds = (starts - now) / 1000;
  return seconds > 0 ? `in ${duration(seconds)}` : "due";
}

export function paceWords(row, now) {
  if (row.rests_until) return `rests until ${moment(row.rests_until, now)}`;
  if (!row.watched || !row.pace) return "";
  return [`every ${row.pace} s`, row.pace_why].filter(Boolean).join(" · ");
}

export function flagWords(row, inARow, lastMinute) {
  const flags = [];
  if (row.gaps) flags.push(["gap", `${counted(row.gaps, "gap")} open`]);
  if (row.held) flags.push(["held", `Held back: ${row.held.reasons[0] ?? "not believed"}`]);
  for (const rung of row.shut ?? []) flags.push(["shut", `Breaker ${rung}`]);
  if (inARow > 0) flags.push(["errors", `${inARow} failed in a row`]);
  else if (lastMinute > 0) flags.push(["errors", `${counted(lastMinute, "error")} in a minute`]);
  return flags;
}

export class MatchView {
  constructor(template, id, watcher) {
    this.id = id;
    this.template = template;
    this.element = make("li", "match");
    this.link = make("a", "teams");
    this.link.href = `/match/${encodeURIComponent(id)}`;
    this.element.append(this.link);
    this.lines = [0, 1].map(() => {
      const line = make("span", "line");
      const parts = { line, team: make("bdi", "team"), score: make("span", "score"), overs: make("span", "overs") };
      line.append(parts.team, " ", parts.score, " ", parts.overs);
      this.link.append(line);
      return parts;
    });
    this.nodes = null;
    this.row = null;
    this.beat = { capturedAt: null, grade: 5, inARow: 0, lastMinute: 0, megabytes: null };
    this.ages = "";
    this.words = "";
    this.isLate = false;
    this.element.view = this;
    watcher.observe(this.element);
  }

  get grade() {
    return GRADES[this.beat.grade];
  }

  age(now) {
    return this.beat.capturedAt === null ? null : Math.max(0, (now - this.beat.capturedAt) / 1000);
  }

  // Near what is seen.
  unfold(now) {
    if (this.nodes !== null) return;
    const cells = this.template.content.cloneNode(true);
    const find = (selector) => cells.querySelector(selector);
    this.nodes = {
      word: find(".word"), balls: find(".balls"), note: find(".note bdi"), about: find(".about bdi"), age: find(".age"),
      seconds: find(".seconds"), spark: find(".spark"), how: find(".how"), pace: find(".pace"),
      where: find(".where"), flags: find(".flags"), trouble: find(".trouble"), troubleWords: find(".trouble bdi"),
    };
    find(".limit").setAttribute("d", `M0 ${limitAt}H40`);
    this.element.append(cells);
    this.shownBalls = this.shownAges = this.shownFlags = null;
    if (this.row !== null) this.showAll(now);
  }

  // Far from it.
  fold() {
    if (this.nodes === null || this.element.contains(document.activeElement)) return;
    this.nodes = null;
    this.element.replaceChildren(this.link);
  }

  takeRow(row, now) {
    const isNews = this.row !== null;
    this.row = row;
    this.now = now;
    row.lines.forEach((line, index) => this.showLine(this.lines[index], line, isNews));
    this.words = [row.title, row.about, row.source, row.id, row.rung, ...row.lines.map((line) => `${line.full} ${line.name}`)]
      .filter(Boolean).join(" ").toLowerCase();
    this.showAll(now);
  }

  takeBeat([, capturedAt, grade, inARow, lastMinute, megabytes], now) {
    const before = this.beat;
    this.beat = { capturedAt, grade, inARow, lastMinute, megabytes };
    if (grade !== before.grade || inARow !== before.inARow || lastMinute !== before.lastMinute) this.showState();
    if (megabytes !== before.megabytes) this.showHow();
    return grade !== before.grade || this.tick(now);
  }

  takeAges(text) {
    this.ages = text;
    this.showAges();
  }

  showAll(now) {
    this.showState();
    this.showAges();
    this.tick(now);
    if (this.nodes === null) return;
    const row = this.row;
    this.showBalls(row.balls ?? []);
    put(this.nodes.note, row.note ?? "");
    put(this.nodes.about, row.about ?? "");
    this.showHow();
  }

  showLine(nodes, line, isNews) {
    const score = line.score ?? "";
    if (isNews && this.nodes !== null && nodes.score.textContent !== score) this.flash(nodes, score);
    put(nodes.team, line.full);
    put(nodes.score, score);
    put(nodes.overs, line.overs ? `(${line.overs})` : "");
    const isBatting = Boolean(line.batting) && this.row.status === "live";
    if (nodes.line.classList.contains("batting") !== isBatting) nodes.line.classList.toggle("batting", isBatting);
  }

  flash(nodes, score) {
    const wickets = (text) => Number((/\/(\d+)\D*$/.exec(text) ?? [0, 0])[1]);
    const hasFallen = wickets(score) > wickets(nodes.score.textContent);
    nodes.line.classList.remove("changed", "fell");
    requestAnimationFrame(() => nodes.line.classList.add(hasFallen ? "fell" : "changed"));
  }

  showBalls(balls) {
    const key = balls.join(" ");
    if (key === this.shownBalls) return;
    this.shownBalls = key;
    // Laid out from the right: where there is no room, the oldest balls go, not the newest.
    this.nodes.balls.replaceChildren(...balls.map((ball) => chip(ball)).reverse());
    this.nodes.balls.setAttribute("aria-label", `Last balls: ${balls.map(spoken).join(", ")}`);
    show(this.nodes.balls, balls.length > 0);
  }

  showHow() {
    if (this.nodes === null || this.row === null) return;
    const row = this.row;
    const isLive = row.status === "live";
    const megabytes = this.beat.megabytes ? `${this.beat.megabytes} MB` : "";
    put(this.nodes.how, [row.source, row.rung, megabytes].filter(Boolean).join(" · "));
    if (this.nodes.how.title !== (row.why ?? "")) this.nodes.how.title = row.why ?? "";
    put(this.nodes.pace, isLive ? paceWords(row, this.now) : "");
    put(this.nodes.where, isLive && !row.watched ? "nobody watches it" : "");
  }

  showAges() {
    if (this.nodes === null || this.shownAges === this.ages) return;
    this.shownAges = this.ages;
    drawAges(this.nodes.spark, this.ages);
  }

  showState() {
    const row = this.row;
    if (row === null) return;
    if (this.element.dataset.grade !== this.grade) this.element.dataset.grade = this.grade;
    if (this.nodes === null) return;
    put(this.nodes.word, stateWord(row, this.grade));
    this.showFlags(flagWords(row, this.beat.inARow, this.beat.lastMinute));
    const isTroubled = Boolean(row.trouble) && this.beat.inARow > 0;
    show(this.nodes.trouble, isTroubled);
    put(this.nodes.troubleWords, isTroubled ? `${row.trouble.kind}: ${row.trouble.message}` : "");
  }

  showFlags(flags) {
    const key = flags.map((flag) => flag.join(" ")).join("|");
    if (key === this.shownFlags) return;
    this.shownFlags = key;
    this.nodes.flags.replaceChildren(...flags.map(([kind, words]) => make("span", `flag ${kind}`, words)));
    show(this.nodes.flags, flags.length > 0);
  }

  // Whether it became late, or is late no more: then it may have another place.
  tick(now) {
    const row = this.row;
    if (row === null) return false;
    const seconds = this.age(now);
    const isLate = row.status === "live" && (seconds === null || seconds > LATE_SECONDS);
    const isMoved = isLate !== this.isLate;
    this.isLate = isLate;
    if (this.nodes === null) return isMoved;
    if (row.status === "upcoming") put(this.nodes.seconds, row.starts ? startWords(row.starts, now) : "–");
    else put(this.nodes.seconds, seconds === null ? "never" : duration(seconds));
    if (this.nodes.age.classList.contains("late") !== isLate) this.nodes.age.classList.toggle("late", isLate);
    return isMoved;
  }
}
