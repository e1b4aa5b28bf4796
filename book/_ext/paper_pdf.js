// Makes the open page of the book a paper: title, authors and abstract above two columns, references at their end.
async ({ pages, authors, edition }) => {
  const { articles, element, show } = printing;
  const [paper, bibliography] = articles(pages);
  const seen = new Map([...bibliography.querySelectorAll(".citation")].map((entry) => [entry.id, entry]));

  // What only a screen has: code, what introduces the page to readers of the book, numbers of the book's chapters.
  for (const each of paper.querySelectorAll(".cell_input, .on-screen, .section-number")) each.remove();
  for (const each of paper.querySelectorAll("a:not([href])")) each.replaceWith(...each.childNodes);

  // Figures have numbers of their own; where the book says "figure", print says which.
  paper.querySelectorAll("figure").forEach((figure, at) => {
    const words = `Figure ${at + 1}`;
    figure.querySelector(".caption-number").textContent = `${words}. `;
    for (const link of paper.querySelectorAll(`a[href="#${figure.id}"]`)) link.textContent = words;
  });

  const cited = new Map();
  for (const link of paper.querySelectorAll("a[href^='#']")) {
    const entry = seen.get(link.getAttribute("href").slice(1));
    if (entry) cited.set(entry, link.parentElement.textContent); // begins with the first author's name
  }
  const references = element("section", "csb-references", element("h2", "", "References"));
  for (const [entry] of [...cited].sort(([, a], [, b]) => a.localeCompare(b, "en"))) {
    entry.querySelector(".label").remove();
    references.append(entry);
  }

  const main = paper.querySelector("section"), title = main.querySelector("h1");
  const abstract = main.querySelector("section");
  abstract.remove();
  title.remove();
  paper.append(references);
  paper.classList.add("csb-columns");
  const head = element("header", "csb-head", title, element("p", "csb-authors", authors), element("p", "", edition));
  abstract.className = "csb-abstract";
  await show(element("div", "bd-content bd-article csb-printed csb-paper", head, abstract, paper), title.textContent);
}
