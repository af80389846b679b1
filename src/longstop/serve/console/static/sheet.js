// One innings: whether board and balls agree, its overs, its scorecard. Only the overs that changed are made anew.

import { chip, spoken } from "/console/glyphs.js";
import { counted, make, name, put } from "/console/text.js";

const OVERS_FIRST = 20;

export function sheetNode(isOpen) {
  return new Sheet(isOpen);
}

class Sheet {
  constructor(isOpen) {
    this.element = make("details", "sheet");
    this.element.open = isOpen;
    this.summary = make("summary");
    this.heading = make("h2");
    this.audit = make("p", "audit");
    this.overs = make("ol", "overs-list");
    this.more = make("button", "quiet", "All overs");
    this.more.type = "button";
    this.more.addEventListener("click", () => {
      this.isWhole = true;
      this.showOvers();
      this.overs.querySelector("li")?.focus?.();
    });
    this.card = make("div", "card");
    this.summary.append(this.heading);
    this.element.append(this.summary, this.audit, this.overs, this.more, this.card);
    this.known = new Map();
  }

  take(sheet) {
    this.sheet = sheet;
    const score = make("span", "score", sheet.score);
    const key = [sheet.team, sheet.score, sheet.overs_text, sheet.rate, sheet.target, sheet.state].join("|");
    if (key !== this.shownHead) {
      this.shownHead = key;
      const more = [sheet.overs_text && `${sheet.overs_text} overs`, sheet.rate && `${sheet.rate} an over`, sheet.target && `target ${sheet.target}`,
        sheet.is_super_over && "super over", sheet.state !== "live" && sheet.state].filter(Boolean).join(" · ");
      this.heading.replaceChildren(name(sheet.team), " ", score, " ", make("span", "faint", more));
    }
    this.showAudit(sheet.audit);
    this.showOvers();
    this.showCard(sheet);
  }

  showAudit(audit) {
    const agrees = audit.words === "";
    this.audit.dataset.level = agrees ? "good" : "warning";
    const words = agrees
      ? `Board and balls agree: ${audit.ledger}`
      : `Board and balls differ: ${audit.words}. The board has ${audit.board}; the record ${audit.ledger}`;
    if (this.shownAudit === words) return;
    this.shownAudit = words;
    const mark = make("span", "mark");
    mark.setAttribute("aria-hidden", "true");
    this.audit.replaceChildren(mark, make("span", "", words));
  }

  showOvers() {
    const shown = this.isWhole ? this.sheet.overs : this.sheet.overs.slice(0, OVERS_FIRST);
    const overs = withHoles(shown);
    this.more.hidden = shown.length === this.sheet.overs.length;
    put(this.more, `All ${this.sheet.overs.length} overs`);
    const present = new Set();
    let there = this.overs.firstElementChild;
    for (const over of overs) {
      present.add(over.number);
      const key = JSON.stringify(over);
      let known = this.known.get(over.number);
      if (known === undefined || known.key !== key) {
        const made = { key, node: overLine(over) };
        if (known !== undefined) {
          if (there === known.node) there = there.nextElementSibling;
          known.node.remove();
        }
        known = made;
        this.known.set(over.number, known);
      }
      if (there === known.node) there = there.nextElementSibling;
      else this.overs.insertBefore(known.node, there);
    }
    for (const [number, { node }] of this.known) {
      if (present.has(number)) continue;
      node.remove();
      this.known.delete(number);
    }
  }

  showCard(sheet) {
    const key = JSON.stringify([sheet.card, sheet.extras]);
    if (key === this.shownCard) return;
    this.shownCard = key;
    const { batting, bowling, fall_of_wickets: falls } = sheet.card;
    if (batting.length === 0) {
      this.card.replaceChildren();
      return;
    }
    this.card.replaceChildren(
      table(`Batting, ${sheet.team}`, ["Batter", "How out", "R", "B", "4s", "6s", "SR"], batting.map((each) => [
        each.player.name, each.how_out, each.runs, each.balls, each.fours, each.sixes, each.strike_rate?.toFixed(0) ?? "–",
      ]), 2),
      make("p", "faint", `Extras ${sheet.extras}`),
      table(`Bowling against ${sheet.team}`, ["Bowler", "O", "M", "R", "W", "Econ"], bowling.map((each) => [
        each.player.name, each.overs, each.maidens, each.runs, each.wickets, each.economy?.toFixed(1) ?? "–",
      ]), 1),
    );
    if (falls.length) {
      const words = make("p", "falls");
      words.append(make("span", "faint", "Fall of wickets: "));
      falls.forEach((fall, at) => words.append(at ? ", " : "", `${fall.wicket}-${fall.runs} (`, name(fall.player.name), `, ${fall.over})`));
      this.card.append(words);
    }
  }
}

// The newest first. An over of which the record has nothing is shown as what it is.
function withHoles(overs) {
  const told = [];
  overs.forEach((over, at) => {
    const newer = overs[at - 1]?.number ?? over.number + 1;
    for (let number = newer - 1; number > over.number; number -= 1) told.push({ number, isMissing: true });
    told.push(over);
  });
  return told;
}

function overLine(over) {
  const line = make("li", over.isMissing ? "over missing" : "over");
  if (over.isMissing) {
    line.append(make("span", "number", String(over.number)), make("span", "hole", "Not in the record"));
    return line;
  }
  const corrected = new Set(over.corrected ?? []);
  const balls = make("span", "balls");
  balls.setAttribute("role", "img");
  balls.setAttribute("aria-label", over.balls.map((ball, at) => spoken(ball) + (corrected.has(at) ? ", corrected" : "")).join(", "));
  balls.append(...over.balls.map((ball, at) => chip(ball, corrected.has(at))));
  const wickets = over.wickets ? `, ${counted(over.wickets, "wicket")}` : "";
  line.append(make("span", "number", String(over.number)), balls, make("span", "sum", `${counted(over.runs, "run")}${wickets}`), name(over.bowler, "bowler"), make("span", "total", over.total));
  return line;
}

function table(caption, heads, rows, words) {
  const frame = make("div", "scroll");
  frame.tabIndex = 0;
  frame.setAttribute("role", "region");
  frame.setAttribute("aria-label", caption);
  const node = make("table");
  const head = make("tr");
  head.append(...heads.map((text, at) => {
    const cell = make("th", at < words ? "" : "figure", text);
    cell.scope = "col";
    return cell;
  }));
  const thead = make("thead");
  thead.append(head);
  const body = make("tbody");
  body.append(...rows.map((row) => {
    const line = make("tr");
    line.append(...row.map((value, at) => {
      const cell = make(at === 0 ? "th" : "td", at < words ? "" : "figure");
      if (at === 0) cell.scope = "row";
      cell.append(name(String(value)));
      return cell;
    }));
    return line;
  }));
  node.append(make("caption", "unseen", caption), thead, body);
  frame.append(node);
  return frame;
}
