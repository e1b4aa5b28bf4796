// Makes the open page of the book one document of all lessons.
async ({ pages, title, edition }) => {
  const { articles, element, show } = printing;
  const contents = element("nav", "csb-contents-list", element("h2", "", "Contents"));
  const body = element("div", "bd-content csb-printed csb-lessons");
  articles(pages).forEach((article, at) => {
    const { name, part } = pages[at];
    body.append(article);
    if (part !== (pages[at - 1]?.part ?? "")) contents.append(element("p", "csb-part", part));
    const link = element("a", "", article.querySelector("h1").textContent);
    link.href = `#${name}`;
    contents.append(element("p", "", link));
  });
  const cover = element("header", "csb-cover", element("p", "csb-title", title), element("p", "", edition),
    element("p", "", "The lessons, with proofs, answers and solutions unfolded. Code and tables that the book folds away, " +
      "the evidence behind the lessons and most pages of reference are in the book alone."));
  body.prepend(cover, contents);
  await show(body, title);
}
