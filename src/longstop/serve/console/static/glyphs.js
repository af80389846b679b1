// Cricket's own small signs: the balls of an over, and the age of a match as a line of peaks.

import { make } from "/console/text.js";

const OVER_BREAK = "|";
const LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-";
const HEIGHT = 24;
const LATE_SECONDS = 10;
const AGE_MAX = 600;

export function chip(text, isCorrected = false) {
  if (text === OVER_BREAK) return make("span", "over-end", "|");
  const node = make("span", `ball ${kindOf(text)}`, text === "0" ? "·" : text);
  if (isCorrected) {
    node.classList.add("corrected");
    node.title = "The source told this ball anew";
  }
  return node;
}

function kindOf(text) {
  if (text.endsWith("W")) return "wicket";
  if (text === "4" || text === "6") return "boundary";
  if (text === "0") return "dot";
  return /^\d+$/.test(text) ? "runs" : "extra";
}

const EXTRAS = { wd: "wide", nb: "no-ball", b: "bye", lb: "leg bye", p: "penalty" };

export function spoken(text) {
  if (text === OVER_BREAK) return "over";
  if (text === "0") return "dot";
  if (text === "W") return "wicket";
  const words = text.replace(/W$/, "").split("+").map((part) => {
    const [, runs, mark] = /^(\d+)([a-z]*)$/.exec(part) ?? [null, part, ""];
    return mark ? `${runs} ${EXTRAS[mark] ?? mark}` : runs;
  }).join(" and ");
  return text.endsWith("W") ? `${words} and a wicket` : words;
}

export const secondsOf = (letter) => {
  const step = LETTERS.indexOf(letter);
  return step < 0 ? null : (1 + AGE_MAX) ** ((step + 1) / 62) - 1;
};

// Square roots: two seconds and ten can both be seen, and ten minutes still fit.
const level = (age) => Math.min(1, Math.sqrt(age / 60)) * (HEIGHT - 1);

// Peaks above the line have a colour of their own; that they are above it can be seen without.
export function drawAges(svg, text) {
  const paths = { peaks: "", above: "" };
  const start = 40 - text.length;
  for (let at = 0; at < text.length; at += 1) {
    const age = secondsOf(text[at]);
    if (age === null) continue;
    paths[age > LATE_SECONDS * 1.1 ? "above" : "peaks"] += `M${start + at + 0.5} ${HEIGHT}V${(HEIGHT - level(age)).toFixed(1)}`;
  }
  for (const [kind, path] of Object.entries(paths)) svg.querySelector(`.${kind}`).setAttribute("d", path);
  svg.setAttribute("aria-label", peakWords(text));
}

export const limitAt = HEIGHT - level(LATE_SECONDS);

function peakWords(text) {
  const ages = [...text].map(secondsOf).filter((age) => age !== null);
  if (ages.length === 0) return "No history of its age yet";
  const worst = Math.max(...ages);
  const late = ages.filter((age) => age > LATE_SECONDS * 1.1).length;
  const span = Math.max(1, Math.round((text.length * 15) / 60));
  const lateWords = late ? `, above 10 seconds in ${late} of ${ages.length} quarters of a minute` : "";
  return `Age over ${span} ${span === 1 ? "minute" : "minutes"}: at most ${worst < 10 ? worst.toFixed(1) : Math.round(worst)} seconds${lateWords}`;
}
