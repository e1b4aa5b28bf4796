// What a search shows of a page it has found: the prose, without the source of equations, code and controls.
const leftOut =
  ".cell_input, pre, .csb-interactive, .csb-table, noscript, .figure-data, details.hide > summary, .sd-summary-icon";
const textOf = Search.htmlToText;

Search.htmlToText = (page, anchor) => {
  const found = new DOMParser().parseFromString(page, "text/html");
  const article = found.querySelector("[role=main] article");
  if (article) found.querySelector("[role=main]").replaceChildren(article); // without menus and contents
  found.querySelectorAll(leftOut).forEach((each) => each.remove());
  for (const each of found.querySelectorAll(".math, code"))
    if (each.matches(".math") || /\s/.test(each.textContent)) each.replaceWith("…"); // a name in code is a word
  return textOf(found.documentElement.outerHTML, anchor).replace(/\s+/g, " ").trim();
};
