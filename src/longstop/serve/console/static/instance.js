// The instance in a few figures, and the sentence above them.

import { byId, counted, duration, put, seconds } from "/console/text.js";

const GRADE_WORDS = { healthy: "Healthy", degraded: "Degraded", failing: "Failing", recovering: "Recovering", down: "Down" };
const WORSE = ["healthy", "recovering", "degraded", "failing", "down"];

function figure(id, value, more = "", level = "") {
  const place = byId(id);
  put(place.children[1], value);
  put(place.children[2], more);
  if ((place.dataset.level ?? "") !== level) place.dataset.level = level;
}

export function headline({ live, troubled }) {
  if (live === 0) return "Nothing is live right now";
  const matches = `${counted(live, "match", "matches")} live`;
  if (troubled === 0) return live === 1 ? `${matches} and fresh` : `${matches}, all fresh`;
  return `${matches}, ${troubled} ${troubled === 1 ? "needs" : "need"} attention`;
}

export function showHead(head) {
  showHealth(head);
  showFreshness(head.ages);
  figure("f-updates", String(head.updates_per_minute), head.latency_ms ? `p95 ${head.latency_ms} ms to stored` : "");
  showQueue(head.queue);
  showBrowsers(head.pools);
  showStore(head);
  figure("f-memory", head.memory_mb ? `${Math.round(head.memory_mb)} MB` : "–", head.cpu_percent ? `${head.cpu_percent} % of a core` : "");
  const errors = head.errors_last_minute;
  figure("f-errors", String(errors), head.breakers ? `${counted(head.breakers, "breaker")} not closed` : "", errors > 10 ? "bad" : errors >= 5 ? "warn" : "");
  put(byId("f-version"), `${head.name} ${head.version}`);
}

// Two words for one thing, S1's of this moment and S2's of the last minutes: the worse is shown, the other named.
function showHealth(head) {
  const worse = WORSE.indexOf(head.grade) > WORSE.indexOf(head.status) ? head.grade : head.status;
  const level = { healthy: "good", degraded: "warn", recovering: "warn" }[worse] ?? "bad";
  const grade = head.grade === worse ? "" : ` · graded ${head.grade}`;
  figure("f-health", GRADE_WORDS[worse] ?? worse, `up ${duration(head.uptime_seconds)}${grade}`, level);
}

function showFreshness(ages) {
  if (!ages) {
    figure("f-fresh", "–", "nothing in play");
    return;
  }
  const rest = `p95 ${seconds(ages.p95)} · max ${seconds(ages.max)}`;
  if (ages.late) figure("f-fresh", `${ages.late} late`, `median ${seconds(ages.p50)} · ${rest}`, ages.max > 120 ? "bad" : "warn");
  else figure("f-fresh", seconds(ages.p50), rest);
}

function showQueue(queue) {
  figure("f-queue", `${queue.waiting} due`, `${queue.running} under way`);
}

function showBrowsers(pools) {
  const sum = (field) => pools.reduce((total, pool) => total + pool[field], 0);
  const waiting = sum("waiting");
  const more = pools.length === 0 ? "not needed yet" : [
    counted(sum("pages"), "page"), sum("megabytes") ? `${sum("megabytes")} MB` : "", waiting ? `${waiting} wait` : "",
  ].filter(Boolean).join(" · ");
  figure("f-browsers", String(sum("browsers")), more, waiting ? "warn" : "");
}

function showStore(head) {
  const backlog = head.backlog;
  const waits = backlog ? backlog.spooled + backlog.buffered : 0;
  const isAway = !head.store_answers || (backlog?.down_seconds ?? 0) > 0;
  const spool = backlog && backlog.spooled ? ` · spool ${backlog.spool_percent} % full` : "";
  const away = backlog?.down_seconds ? `for ${duration(backlog.down_seconds)} · ` : "";
  figure("f-store", isAway ? "Away" : "Answers", `${away}${waits ? `${waits} wait` : "nothing waits"}${spool}`, isAway ? "bad" : waits > 100 ? "warn" : "");
}
