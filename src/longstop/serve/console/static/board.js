// The list: the worst first, by severity and then by age, and what is fresh by name, so that it rests where it is read.

import { GRADES, MatchView } from "/console/row.js";
import { byId, make, put, show } from "/console/text.js";

const SECTION_OF = { failing: "attention", degraded: "attention", play: "play", break: "break", upcoming: "upcoming", over: "over" };
const NEAR = "900px 0px";
const GATHER_MS = 250;

export class Board {
  constructor(link) {
    this.link = link;
    this.views = new Map();
    this.numbers = new Map();
    this.text = "";
    this.state = "all";
    this.source = "";
    this.template = byId("row");
    this.sections = Object.fromEntries([...new Set(Object.values(SECTION_OF))].map((each) => {
      const section = byId(`s-${each}`);
      return [each, { section, list: section.querySelector("ol"), count: section.querySelector(".count") }];
    }));
    this.watcher = new IntersectionObserver((seen) => this.see(seen), { rootMargin: NEAR });
    this.arranging = 0;
    this.onRow = () => {};
  }

  see(seen) {
    for (const each of seen) {
      if (each.isIntersecting) each.target.view.unfold(this.link.now());
      else each.target.view.fold();
    }
  }

  take(frame) {
    const now = frame.now;
    if (frame.is_whole) this.forget();
    let isMoved = frame.is_whole === true;
    for (const row of frame.rows ?? []) isMoved = this.takeRow(row, now) || isMoved;
    for (const beat of frame.pulse ?? []) isMoved = this.numbers.get(beat[0])?.takeBeat(beat, now) || isMoved;
    for (const [number, ages] of frame.ages ?? []) this.numbers.get(number)?.takeAges(ages);
    if (frame.members) isMoved = this.keepOnly(new Set(frame.members)) || isMoved;
    if (isMoved) this.arrange();
    else this.count();
  }

  // Another life of the server has other numbers. Views are kept by match, so that nothing flickers.
  forget() {
    this.numbers.clear();
  }

  takeRow(row, now) {
    let view = this.views.get(row.id);
    const isNew = view === undefined;
    if (isNew) {
      view = new MatchView(this.template, row.id, this.watcher);
      this.views.set(row.id, view);
    }
    this.numbers.set(row.n, view);
    view.takeRow(row, now);
    this.onRow(view);
    return isNew || this.text !== "" || this.state === "gaps";
  }

  keepOnly(members) {
    for (const number of [...this.numbers.keys()]) if (!members.has(number)) this.numbers.delete(number);
    const present = new Set(this.numbers.values());
    for (const [id, view] of this.views) {
      if (present.has(view)) continue;
      this.watcher.unobserve(view.element);
      view.element.remove();
      this.views.delete(id);
    }
    return true;
  }

  tick(now) {
    let isMoved = false;
    for (const view of this.views.values()) isMoved = view.tick(now) || isMoved;
    if (isMoved) this.arrangeSoon();
  }

  fits(view) {
    if (this.source !== "" && view.row.source !== this.source) return false;
    return this.text === "" || this.text.split(/\s+/).every((word) => view.words.includes(word));
  }

  isIn(view, state) {
    if (state === "all") return true;
    return state === "gaps" ? view.row.gaps > 0 : SECTION_OF[view.grade] === state;
  }

  find({ text = this.text, state = this.state, source = this.source }) {
    Object.assign(this, { text: text.trim().toLowerCase(), state, source });
    this.arrange();
  }

  arrangeSoon() {
    clearTimeout(this.arranging);
    this.arranging = setTimeout(() => this.arrange(), GATHER_MS);
  }

  arrange() {
    const focused = document.activeElement;
    const groups = Object.fromEntries(Object.keys(this.sections).map((each) => [each, []]));
    let found = 0;
    for (const view of this.views.values()) {
      if (view.row === null || !this.fits(view) || !this.isIn(view, this.state)) {
        if (view.element.parentNode !== null) view.element.remove();
        continue;
      }
      found += 1;
      groups[SECTION_OF[view.grade]].push(view);
    }
    for (const [each, group] of Object.entries(groups)) this.fill(this.sections[each], group, each);
    // What is moved in the document loses the focus; whoever stands on a row stays on it.
    if (focused !== document.activeElement && focused?.isConnected) focused.focus({ preventScroll: true });
    this.count();
    this.showSources();
    this.showNothing(found);
  }

  fill(place, group, section) {
    group.sort(section === "upcoming" ? byStart : byTrouble);
    show(place.section, group.length > 0);
    put(place.count, String(group.length));
    let there = place.list.firstElementChild;
    for (const { element } of group) {
      if (there === element) there = there.nextElementSibling;
      else place.list.insertBefore(element, there);
    }
  }

  count() {
    const counts = Object.fromEntries([...document.querySelectorAll('input[name="state"]')].map((each) => [each.value, 0]));
    for (const view of this.views.values()) {
      if (view.row === null || !this.fits(view)) continue;
      counts.all += 1;
      counts[SECTION_OF[view.grade]] += 1;
      if (view.row.gaps) counts.gaps += 1;
    }
    for (const input of document.querySelectorAll('input[name="state"]')) {
      put(input.nextElementSibling.querySelector("b"), String(counts[input.value]));
      input.parentNode.classList.toggle("none", counts[input.value] === 0);
    }
  }

  showSources() {
    const sources = [...new Set([...this.views.values()].map((view) => view.row?.source).filter(Boolean))].sort();
    const key = sources.join("|");
    if (key === this.shownSources) return;
    this.shownSources = key;
    const options = ["", ...sources].map((each) => {
      const option = make("option", "", each || "any");
      option.value = each;
      return option;
    });
    byId("source").replaceChildren(...options);
    byId("source").value = sources.includes(this.source) ? this.source : "";
    show(byId("source").parentNode, sources.length > 1);
  }

  showNothing(found) {
    const isFiltered = this.text !== "" || this.state !== "all" || this.source !== "";
    put(byId("found"), isFiltered ? `${found} of ${this.views.size}` : "");
    show(byId("nothing"), found === 0 && this.link.heardAt !== null);
    put(byId("nothing"), this.views.size
      ? "No match fits. Esc shows all again."
      : "No match is known yet. They appear here as soon as a source lists them.");
  }

  summary() {
    let live = 0;
    let troubled = 0;
    for (const view of this.views.values()) {
      if (view.beat.grade <= GRADES.indexOf("break")) live += 1;
      if (view.beat.grade <= GRADES.indexOf("degraded")) troubled += 1;
    }
    return { live, troubled };
  }

  links() {
    return [...document.querySelectorAll("#matches .match > .teams")];
  }

  // From match to match by keys; from nowhere to the first, or to the one that was opened last.
  step(by) {
    const links = this.links();
    const at = links.indexOf(document.activeElement);
    const next = at < 0 ? links.find((each) => each === this.last) ?? links[0] : links[at + by];
    if (next === undefined) return false;
    next.focus({ preventScroll: true });
    next.closest(".match").scrollIntoView({ block: "nearest" });
    this.last = next;
    return true;
  }
}

const byName = (a, b) => a.row.title.localeCompare(b.row.title) || (a.id < b.id ? -1 : 1);
const byAge = (a, b) => (a.beat.capturedAt ?? 0) - (b.beat.capturedAt ?? 0);

function byTrouble(a, b) {
  if (a.beat.grade !== b.beat.grade) return a.beat.grade - b.beat.grade;
  if (a.isLate !== b.isLate) return a.isLate ? -1 : 1;
  return (a.isLate ? byAge(a, b) : 0) || byName(a, b);
}

const byStart = (a, b) => (a.row.starts ?? Infinity) - (b.row.starts ?? Infinity) || byName(a, b);
