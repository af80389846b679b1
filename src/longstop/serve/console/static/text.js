// Words and elements. Everything that came from outside is put in as text, never as markup,
// and a node is touched only when what it says has changed.

export const byId = (id) => document.getElementById(id);

export function put(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

export function show(node, isShown) {
  if (node.hidden === isShown) node.hidden = !isShown;
}

export function make(tag, className = "", text = "") {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text) node.textContent = text;
  return node;
}

// Names may be written from right to left; what stands around them must not turn with them.
export const name = (text, className = "") => make("bdi", className, text);

export function duration(seconds) {
  const whole = Math.floor(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  if (whole < 86400) return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
  return `${Math.floor(whole / 86400)} d ${Math.floor((whole % 86400) / 3600)} h`;
}

export const seconds = (value) => (value < 10 ? `${value.toFixed(1)} s` : duration(value));

export const counted = (count, word, many = `${word}s`) => `${count} ${count === 1 ? word : many}`;

const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

export function moment(millis, now) {
  const at = new Date(millis);
  const time = clock.format(at);
  return Math.abs(now - millis) > 20 * 3600e3 ? `${day.format(at)} ${time}` : time;
}
