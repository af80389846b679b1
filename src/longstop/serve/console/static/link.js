// How the page hears of the board: by a stream; without one by asking; and it says which, and how long ago.

const QUIET_MS = 5000;
const ASK_EVERY_MS = 1000;
const ASK_WITHIN_MS = 4000;
const STREAM_AGAIN_MS = 30000;
const RETRY_MS_MAX = 5000;

export class Link {
  constructor(take, tell) {
    this.take = take;
    this.tell = tell;
    this.bookmark = "";
    this.heardAt = null;
    this.serverAhead = 0;
    this.state = "connecting";
    this.source = null;
    this.timer = 0;
    this.failures = 0;
    this.silences = 0;
    this.streamAgainAt = 0;
    setInterval(() => this.watch(), 1000);
    document.addEventListener("visibilitychange", () => (document.hidden ? this.rest() : this.open()));
  }

  // The server's clock, carried on by this browser's monotonic one: a wrong clock here makes no age wrong.
  now() {
    return performance.now() + this.serverAhead;
  }

  silentSeconds() {
    return this.heardAt === null ? null : (performance.now() - this.heardAt) / 1000;
  }

  open() {
    this.rest();
    this.openedAt = performance.now();
    if (performance.now() < this.streamAgainAt) {
      this.ask();
      return;
    }
    this.source = new EventSource(`/ops/stream?after=${encodeURIComponent(this.bookmark)}`);
    this.source.addEventListener("board", (event) => this.hear(JSON.parse(event.data), "live"));
    this.source.addEventListener("error", () => this.stumble());
  }

  rest() {
    this.source?.close();
    this.source = null;
    clearTimeout(this.timer);
  }

  hear(frame, state) {
    this.heardAt = performance.now();
    this.serverAhead = frame.now - this.heardAt;
    if (state === "live") this.silences = 0;
    else if (this.failures > 0) this.streamAgainAt = 0;
    this.failures = 0;
    this.bookmark = frame.bookmark;
    this.take(frame);
    this.become(state);
  }

  // A broken stream comes back by itself; one that was refused does not.
  stumble() {
    if (this.source?.readyState === EventSource.CLOSED) this.fallBack();
    else if (this.heardAt === null || this.silentSeconds() > 2) this.become("lost");
  }

  fallBack() {
    this.streamAgainAt = performance.now() + STREAM_AGAIN_MS;
    this.open();
  }

  // A stream that is open and says nothing is no stream: something on the way keeps it back.
  watch() {
    if (document.hidden || this.source === null) return;
    const quiet = performance.now() - Math.max(this.heardAt ?? 0, this.openedAt);
    if (quiet < QUIET_MS) return;
    this.silences += 1;
    this.become("lost");
    if (this.silences > 1) this.fallBack();
    else this.open();
  }

  async ask() {
    try {
      const answer = await fetch(`/ops/board?after=${encodeURIComponent(this.bookmark)}`, {
        cache: "no-store", headers: { accept: "application/json" }, signal: AbortSignal.timeout(ASK_WITHIN_MS),
      });
      if (answer.status === 401 || answer.status === 403) {
        this.become("locked");
        return;
      }
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      this.hear(await answer.json(), "asking");
    } catch {
      this.failures += 1;
      this.become("lost");
    }
    if (document.hidden || this.source !== null) return;
    const wait = this.failures ? Math.min(RETRY_MS_MAX, ASK_EVERY_MS * this.failures) : ASK_EVERY_MS;
    this.timer = setTimeout(() => (performance.now() >= this.streamAgainAt ? this.open() : this.ask()), wait);
  }

  become(state) {
    if (this.state === state) return;
    this.state = state;
    this.tell(state);
  }
}
