// Answers worth a look: a search over their texts, and a choice of kinds.
function searchable(section) {
  const all = [...section.querySelectorAll("details.example")];
  const words = element("input", { type: "search", id: "find-answers", placeholder: "a word of a prompt or an answer" });
  const kind = element("select", { ariaLabel: "kind of answer" }, element("option", { value: "", textContent: "every kind" }));
  for (const name of new Set(all.map((e) => e.dataset.kind))) kind.append(element("option", { value: name, textContent: name }));
  const found = element("output");
  const show = () => {
    const wanted = words.value.toLowerCase();
    let n = 0;
    for (const e of all) {
      const fits = (!kind.value || e.dataset.kind === kind.value) && e.textContent.toLowerCase().includes(wanted);
      e.hidden = !fits;
      if (fits) n++;
    }
    found.textContent = `${n} of ${all.length}`;
  };
  words.addEventListener("input", show);
  kind.addEventListener("change", show);
  all[0].parentElement.before(element("p", { className: "choose" }, element("label", { htmlFor: "find-answers", textContent: "Find " }), words, kind, found));
  show();
}
