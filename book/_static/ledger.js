// The tables of claims: sorted by a click on a heading, filtered by verdict. Without this script they are whole.
for (const table of document.querySelectorAll("table.csb-ledger")) {
  const headings = [...table.tHead.rows[0].cells], body = table.tBodies[0];
  const text = (row, column) => row.cells[column].textContent.trim();

  headings.forEach((heading, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.querySelector("p").childNodes);
    heading.querySelector("p").append(button);
    button.addEventListener("click", () => {
      const falling = heading.ariaSort === "ascending";
      headings.forEach((other) => other.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", falling ? "descending" : "ascending");
      const order = (a, b) => text(a, column).localeCompare(text(b, column), "en", { numeric: true });
      body.append(...[...body.rows].sort(falling ? (a, b) => order(b, a) : order));
    });
  });

  const column = headings.findIndex((heading) => heading.textContent.trim() === "verdict");
  if (column < 0) continue;
  const select = document.createElement("select"), label = document.createElement("label");
  const verdicts = [...new Set([...body.rows].map((row) => text(row, column)))].sort();
  select.append(new Option("all", ""), ...verdicts.map((verdict) => new Option(verdict)));
  select.addEventListener("change", () => {
    for (const row of body.rows) row.hidden = select.value !== "" && text(row, column) !== select.value;
  });
  label.append("Show ", select);
  label.className = "csb-filter";
  (table.closest(".pst-scrollable-table-container") ?? table).before(label);
}
