// One match on the page. Everything that came from outside is put in as text, never as markup,
// and a node is touched only when what it says has changed.

const PLAY_WORDS = {
  not_started: "Not started", play: "In play", drinks: "Drinks", lunch: "Lunch", tea: "Tea", stumps: "Stumps",
  innings_break: "Innings break", rain: "Rain", ended: "Ended", unknown: "Live",
};
const STATUS_WORDS = { upcoming: "To come", completed: "Finished", abandoned: "Abandoned" };
const GRADES = ["failing", "degraded", "play", "break", "upcoming", "over"];
const OVER_BREAK = "|";
const LATE_SECONDS = 10;

export function put(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

export function duration(seconds) {
  const whole = Math.floor(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  if (whole < 86400) return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
  return `${Math.floor(whole / 86400)} d ${Math.floor((whole % 86400) / 3600)} h`;
}

export class MatchView {
  constructor(template, id) {
    this.id = id;
    this.element = template.content.firstElementChild.cloneNode(true);
    const find = (selector) => this.element.querySelector(selector);
    this.nodes = {
      word: find(".word"), link: find("a.teams"), balls: find(".balls"), note: find(".note bdi"),
      about: find(".about bdi"), age: find(".age"), seconds: find(".seconds"), bar: find(".bar"), source: find(".source"),
      errors: find(".errors"), trouble: find(".trouble"), troubleWords: find(".trouble bdi"),
    };
    this.lines = [...this.element.querySelectorAll(".line")].map((line) => ({
      line, team: line.querySelector(".team"), score: line.querySelector(".score"), overs: line.querySelector(".overs"),
    }));
    this.nodes.link.href = `/cricket-data/match-info/${encodeURIComponent(id)}`;
    this.row = null;
    this.capturedAt = null;
    this.grade = 5;
    this.inARow = 0;
    this.shownBalls = null;
    this.megabytes = null;
    this.words = "";
  }

  show(row) {
    const isNews = this.row !== null;
    this.row = row;
    row.lines.forEach((line, index) => this.showLine(this.lines[index], line, isNews));
    this.showBalls(row.balls ?? []);
    put(this.nodes.note, row.note ?? "");
    put(this.nodes.about, row.about ?? "");
    this.showSource();
    this.words = [row.title, row.about, row.source, row.id, ...row.lines.map((line) => `${line.full} ${line.name}`)]
      .filter(Boolean).join(" ").toLowerCase();
    this.showState();
  }

  showLine(nodes, line, isNews) {
    const score = line.score ?? "";
    if (isNews && nodes.score.textContent !== score) this.flash(nodes.line, score);
    put(nodes.team, line.full);
    put(nodes.score, score);
    put(nodes.overs, line.overs ? `(${line.overs})` : "");
    nodes.line.classList.toggle("batting", Boolean(line.batting) && this.row.status === "live");
  }

  flash(node, score) {
    const wickets = (text) => Number((/\/(\d+)\D*$/.exec(text) ?? [0, 0])[1]);
    const before = node.querySelector(".score").textContent;
    node.classList.remove("changed", "fell");
    void node.offsetWidth;
    node.classList.add(wickets(score) > wickets(before) ? "fell" : "changed");
  }

  showBalls(balls) {
    const key = balls.join(" ");
    if (key === this.shownBalls) return;
    this.shownBalls = key;
    // Laid out from the right: where there is no room, the oldest balls go, not the newest.
    this.nodes.balls.replaceChildren(...balls.map(chip).reverse());
    this.nodes.balls.setAttribute("aria-label", `Last balls: ${balls.map(spoken).join(", ")}`);
    this.nodes.balls.hidden = balls.length === 0;
  }

  showSource() {
    const memory = this.megabytes ? `${this.megabytes} MB` : "";
    put(this.nodes.source, [this.row.source, this.row.rung, memory].filter(Boolean).join(" · "));
  }

  beat([, capturedAt, grade, inARow, lastMinute, megabytes]) {
    const isMoved = grade !== this.grade;
    this.capturedAt = capturedAt;
    if (megabytes !== this.megabytes && this.row !== null) {
      this.megabytes = megabytes;
      this.showSource();
    }
    if (isMoved || inARow !== this.inARow || lastMinute !== this.lastMinute) {
      this.grade = grade;
      this.inARow = inARow;
      this.lastMinute = lastMinute;
      this.showState();
    }
    return isMoved;
  }

  showState() {
    const row = this.row;
    if (row === null) return;
    const grade = GRADES[this.grade];
    const said = STATUS_WORDS[row.status] ?? PLAY_WORDS[row.play] ?? "Live";
    if (this.element.dataset.grade !== grade) this.element.dataset.grade = grade;
    put(this.nodes.word, { failing: "Failing", degraded: "Degraded" }[grade] ?? said);
    put(this.nodes.errors, this.errorWords());
    const trouble = row.trouble;
    const isTroubled = Boolean(trouble) && this.inARow > 0;
    this.nodes.trouble.hidden = !isTroubled;
    put(this.nodes.troubleWords, isTroubled ? `${trouble.kind}: ${trouble.message}` : "");
  }

  errorWords() {
    const gaps = this.row.gaps ? `${this.row.gaps} ${this.row.gaps === 1 ? "gap" : "gaps"} open` : "";
    let errors = "";
    if (this.inARow > 0) errors = `${this.inARow} failed in a row`;
    else if (this.lastMinute > 0) errors = `${this.lastMinute} ${this.lastMinute === 1 ? "error" : "errors"} in a minute`;
    return [errors, gaps].filter(Boolean).join(" · ");
  }

  tick(now) {
    const row = this.row;
    if (row === null) return;
    if (row.status === "upcoming") {
      put(this.nodes.seconds, row.starts ? startWords(row.starts, now) : "–");
      return;
    }
    const seconds = this.capturedAt === null ? null : Math.max(0, (now - this.capturedAt) / 1000);
    put(this.nodes.seconds, seconds === null ? "never" : duration(seconds));
    if (row.status !== "live") return;
    const isLate = seconds === null || seconds > LATE_SECONDS;
    if (isLate !== this.isLate) {
      this.isLate = isLate;
      this.nodes.age.classList.toggle("late", isLate);
    }
    const share = seconds === null ? 1 : Math.min(1, seconds / LATE_SECONDS);
    this.nodes.bar.style.setProperty("--share", share.toFixed(2));
  }

  matches(wanted) {
    return wanted === "" || this.words.includes(wanted);
  }
}

function chip(text) {
  const node = document.createElement("span");
  node.textContent = text === "0" ? "•" : text;
  node.className = chipClass(text);
  return node;
}

function chipClass(text) {
  if (text === OVER_BREAK) return "over-end";
  if (text.endsWith("W")) return "ball wicket";
  if (text === "4" || text === "6") return "ball boundary";
  if (text === "0") return "ball dot";
  return /^\d+$/.test(text) ? "ball" : "ball extra";
}

function spoken(text) {
  if (text === OVER_BREAK) return "over";
  if (text === "0") return "dot";
  return text === "W" ? "wicket" : text;
}

function startWords(starts, now) {
  const seconds = (starts - now) / 1000;
  return seconds > 0 ? `in ${duration(seconds)}` : "due";
}
