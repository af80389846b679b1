// What happened: alerts, recoveries, gaps, and what is well again. The newest first, each line once.

import { byId, make, moment, name, show } from "/console/text.js";

const SHOWN = 120;
const LEVEL_WORDS = { good: "Good", note: "Note", warning: "Warning", error: "Error", critical: "Critical" };

export function newsLine(each, now, titleOf) {
  const line = make("li", "happening");
  line.dataset.level = each.level;
  const head = make("p", "what");
  const mark = make("span", "mark");
  mark.setAttribute("aria-hidden", "true");
  const time = make("time", "", moment(each.at, now));
  time.dateTime = new Date(each.at).toISOString();
  head.append(mark, make("span", "unseen", `${LEVEL_WORDS[each.level] ?? ""}: `), make("strong", "", each.what));
  if (each.count > 1) head.append(make("span", "times", ` × ${each.count}`));
  head.append(" ", time);
  line.append(head);
  if (each.match && titleOf) {
    const link = make("a", "about-match");
    link.href = `/match/${encodeURIComponent(each.match)}`;
    link.append(name(titleOf(each.match)));
    line.append(link);
  }
  const words = make("p", "words");
  words.append(name(each.text));
  line.append(words);
  if (each.hint && (each.level === "error" || each.level === "critical")) {
    const hint = make("p", "hint");
    hint.append(name(each.hint));
    line.append(hint);
  }
  return line;
}

export class News {
  constructor(titleOf) {
    this.titleOf = titleOf;
    this.lines = new Map();
    this.list = byId("news");
  }

  take(frame) {
    if (frame.is_whole) {
      this.lines.clear();
      this.list.replaceChildren();
    }
    for (const each of frame.news ?? []) {
      this.lines.get(each.id)?.remove();
      const line = newsLine(each, frame.now, this.titleOf);
      this.lines.delete(each.id);
      this.lines.set(each.id, line);
      this.list.prepend(line);
    }
    for (const [id, line] of this.lines) {
      if (this.lines.size <= SHOWN) break;
      line.remove();
      this.lines.delete(id);
    }
    show(byId("no-news"), this.lines.size === 0);
    show(this.list, this.lines.size > 0);
  }
}
