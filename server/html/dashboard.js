"use strict";
// The theme that was chosen holds on every page; an empty filter is no part of the address.
(() => {
  const root = document.documentElement;
  const key = "assay-theme";
  const kept = localStorage.getItem(key);
  if (kept === "dark" || kept === "light") root.dataset.theme = kept;
  new MutationObserver(() => {
    if (root.dataset.theme) localStorage.setItem(key, root.dataset.theme);
  }).observe(root, { attributes: true, attributeFilter: ["data-theme"] });

  // A token behind # comes from assay serve --demo; it is taken out of the address at once.
  addEventListener("DOMContentLoaded", () => {
    const field = document.querySelector("form.login input[name=token]");
    if (!field || location.hash.length < 2) return;
    field.value = decodeURIComponent(location.hash.slice(1));
    history.replaceState(null, "", location.pathname + location.search);
    field.form.requestSubmit();
  });

  addEventListener("submit", (event) => {
    if (event.target.method !== "get") return;
    for (const field of event.target.elements) {
      if (field.name && field.value === "") field.disabled = true;
    }
    // Back brings the page as it was: the fields are wanted again.
    setTimeout(() => { for (const field of event.target.elements) field.disabled = false; }, 0);
  });
})();
