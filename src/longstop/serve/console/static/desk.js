// What only operators are told beside the list: which sources are asked, and who asked for what.

import { session } from "/console/session.js";
import { byId, counted, make, moment, name, put, show } from "/console/text.js";

const EVERY_MS = 15000;
const PAGE = 12;
const ABOUT = "Which sources are asked, and who asked for what.";
const NOT_THIS_LOGIN = "This login may not see it: the scope admin is needed.";
const LEVELS = { done: "good", failed: "error", refused: "warning" };

export class Desk {
  constructor(verbs, titleOf, isShown) {
    this.verbs = verbs;
    this.titleOf = titleOf;
    this.isOpen = this.isWanted = false;
    this.sources = new Map();
    this.entries = new Map();
    byId("desk-open").addEventListener("click", () => this.open());
    byId("audit-older").addEventListener("click", () => this.older());
    document.addEventListener("longstop-session", () => this.suit());
    document.addEventListener("longstop-verb", () => this.isOpen && this.renew());
    setInterval(() => { if (this.isOpen && !document.hidden && isShown()) this.renew(); }, EVERY_MS);
  }

  // Whoever is logged in as an operator sees it without being asked; whoever leaves takes it along.
  suit() {
    if (session.who?.scopes.includes("admin")) this.renew();
    else this.shut(this.isWanted && session.who !== null ? NOT_THIS_LOGIN : ABOUT);
  }

  open() {
    this.isWanted = true;
    this.renew(() => session.ask("This is told to operators: the scope admin is needed."));
  }

  shut(words) {
    this.isOpen = false;
    this.sources.clear();
    this.entries.clear();
    byId("sources").replaceChildren();
    byId("audit").replaceChildren();
    show(byId("desk-told"), false);
    show(byId("desk-shut"), true);
    put(byId("desk-words"), words);
  }

  async renew(onStranger = () => {}) {
    const sources = await asked("/admin/sources");
    // What is refused once is refused, and written down, once.
    const audit = sources.status === 200 ? await asked(`/admin/audit?limit=${PAGE}`) : sources;
    const refused = [sources, audit].find((answer) => answer.status !== 200);
    if (refused !== undefined && refused.status !== 0) {
      this.shut(refused.status === 403 ? NOT_THIS_LOGIN : ABOUT);
      if (refused.status === 401) onStranger();
      return;
    }
    if (refused !== undefined) return;
    this.isOpen = true;
    show(byId("desk-shut"), false);
    show(byId("desk-told"), true);
    this.showSources(sources.said.sources);
    if (this.entries.size === 0) this.next = audit.said.next;
    this.take(audit.said.entries);
  }

  async older() {
    const page = await asked(`/admin/audit?limit=${PAGE}&before=${this.next}`);
    if (page.status !== 200) return;
    this.next = page.said.next;
    this.take(page.said.entries);
  }

  showSources(found) {
    for (const each of found) {
      if (!this.sources.has(each.source)) this.sources.set(each.source, this.sourceNode(each.source));
      const { node, state, needs, button } = this.sources.get(each.source);
      node.dataset.on = String(each.is_on);
      const isReady = each.is_on || !each.needs?.length;
      put(state, each.is_on ? `on · ${counted(each.matches, "match", "matches")}` : isReady ? "off" : "off · not ready");
      put(needs.lastChild, (each.needs ?? []).join("; "));
      show(needs, !isReady);
      show(button, isReady);
      put(button, each.is_on ? "Switch off…" : "Switch on…");
      button.dataset.of = each.is_on ? "disable" : "enable";
    }
  }

  sourceNode(source) {
    const node = make("li", "source");
    const mark = make("span", "mark");
    mark.setAttribute("aria-hidden", "true");
    const [state, needs, button] = [make("span", "faint"), make("details", "needs"), make("button", "quiet")];
    needs.append(make("summary", "", "why"), make("p"));
    button.type = "button";
    button.setAttribute("aria-describedby", `source-${source}`);
    button.addEventListener("click", () => this.verbs.ask(button.dataset.of, source));
    const title = make("strong", "", source);
    title.id = `source-${source}`;
    node.append(mark, title, state, button, needs);
    byId("sources").append(node);
    return { node, state, needs, button };
  }

  take(found) {
    const now = Date.now();
    for (const each of found) {
      if (!this.entries.has(each.entry_id)) this.entries.set(each.entry_id, this.line(each, now));
    }
    const newest = [...this.entries].sort(([one], [other]) => (BigInt(one) < BigInt(other) ? 1 : -1));
    byId("audit").replaceChildren(...newest.map(([, line]) => line));
    show(byId("no-audit"), newest.length === 0);
    show(byId("audit-older"), Boolean(this.next));
  }

  line(each, now) {
    const line = make("li", "happening");
    line.dataset.level = LEVELS[each.outcome] ?? "note";
    const mark = make("span", "mark");
    mark.setAttribute("aria-hidden", "true");
    const time = make("time", "", moment(Date.parse(each.at), now));
    time.dateTime = each.at;
    const head = make("p", "what");
    const what = make("strong");
    what.append(name(each.verb));
    head.append(mark, what, " ", time);
    const whom = each.subject === "instance" ? "" : this.titleOf(each.subject);
    const words = make("p", "words");
    words.append(name([whom, `${each.outcome}, asked by ${each.consumer}`].filter(Boolean).join(" · ")));
    line.append(head, words);
    const more = [each.detail, each.reason].filter(Boolean).join(" · ");
    if (more) {
      const hint = make("p", "hint");
      hint.append(name(more));
      line.append(hint);
    }
    return line;
  }
}

// 0 is no answer: then what is shown stays.
async function asked(path) {
  const answer = await fetch(path, { cache: "no-store", headers: { accept: "application/json" }, signal: AbortSignal.timeout(8000) }).catch(() => null);
  return { status: answer?.status ?? 0, said: (await answer?.json().catch(() => null)) ?? {} };
}
