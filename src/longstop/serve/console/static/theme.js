// Before anything is painted, so that nobody sees the wrong one first.
"use strict";
(function () {
  let wanted = "";
  try { wanted = localStorage.getItem("longstop-theme") || ""; } catch { /* a browser that keeps nothing */ }
  if (wanted === "light" || wanted === "dark") document.documentElement.dataset.theme = wanted;
})();
