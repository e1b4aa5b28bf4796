// Makes the open page of the book a sheet: its title above two columns, and of its code what is meant for paper.
async ({ pages, edition }) => {
  const { articles, element, show } = printing;
  const [sheet] = articles(pages);
  for (const each of sheet.querySelectorAll(".cell:not(.tag_on-paper), .on-screen, .section-number")) each.remove();
  for (const each of sheet.querySelectorAll(".tag_on-paper .cell_output, .copybtn")) each.remove();
  for (const each of sheet.querySelectorAll("a:not([href])")) each.replaceWith(...each.childNodes); // not printed
  const title = sheet.querySelector("h1");
  title.remove();
  sheet.classList.add("csb-columns");
  const head = element("header", "csb-head", title, element("p", "", edition));
  await show(element("div", "bd-content bd-article csb-printed csb-sheet", head, sheet), title.textContent);
}
