(() => {
  "use strict";
  // The words are compared as people search: without case and accents, all of them, in any order.
  const form = document.getElementById("search");
  if (!form) return;
  const fold = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  const rows = [...document.querySelectorAll(".every tr")].map((row) => ({ row, text: fold(row.textContent) }));
  const box = document.getElementById("words");
  const found = document.getElementById("found");
  const search = () => {
    const wanted = fold(box.value).split(/\s+/).filter(Boolean);
    let n = 0;
    for (const { row, text } of rows) {
      row.hidden = !wanted.every((word) => text.includes(word));
      n += row.hidden ? 0 : 1;
    }
    document.querySelector("#claims details").open ||= wanted.length > 0;
    found.textContent = wanted.length ? found.dataset.words.replace("{n}", n).replace("{of}", rows.length) : "";
  };
  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  box.addEventListener("input", search);
})();
