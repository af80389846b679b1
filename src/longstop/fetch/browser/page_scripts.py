"""What we run inside a page. Its answers are bounded in size and time where they arise: what has come is too late to
refuse, and a call that nobody ends keeps one of the six connections that a browser has for a host."""

from typing import Final

TOO_LARGE: Final = -1
TOO_SLOW: Final = -2
GONE_ELSEWHERE: Final = -3

# A browser's own page, which it shows in place of one that did not come.
ERROR_PAGE: Final = "chrome-error:"

# Headers the page may not set are left out by the browser itself.
CALL: Final = """async ([url, method, headers, sent, bytesMax, millis]) => {
  const nothing = status => ({status, headers: {}, body: ""});
  if (location.protocol === "chrome-error:") return nothing(-3);
  const stop = new AbortController();
  const ask = async () => {
    const body = sent === null ? undefined : sent;
    const how = {method, headers, body, credentials: "include", cache: "no-store", signal: stop.signal};
    const answer = await fetch(url, how);
    const way = {status: answer.status, redirected: answer.redirected};
    const told = {...way, headers: Object.fromEntries(answer.headers)};
    if (answer.body === null) return {...told, body: ""};
    const reader = answer.body.getReader(), letters = new TextDecoder();
    let text = "", size = 0;
    for (;;) {
      const {done, value} = await reader.read();
      if (done) return {...told, body: text + letters.decode()};
      size += value.length;
      if (size > bytesMax) return nothing(-1);
      text += letters.decode(value, {stream: true});
    }
  };
  let timer;
  const late = new Promise(resolve => { timer = setTimeout(() => resolve(nothing(-2)), millis); });
  const asking = ask();
  asking.catch(() => {});
  try {
    return await Promise.race([asking, late]);
  } finally {
    clearTimeout(timer);
    stop.abort();
  }
}"""

# The page as it stands, or null when it is larger than what may be sent.
SHOWN: Final = """bytesMax => {
  if (location.protocol === "chrome-error:") return "";
  const page = document.documentElement, text = page === null ? "" : page.outerHTML;
  return text.length > bytesMax ? null : (document.doctype === null ? "" : "<!DOCTYPE html>") + text;
}"""
