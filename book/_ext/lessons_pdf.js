// Makes the open page of the book one document of all lessons.
async ({ pages, title, edition }) => {
  const places = new Map(pages.map((page) => [page.address, page.name]));
  const place = (name, fragment) => (fragment ? `${name}--${fragment}` : name);

  function element(name, className, ...content) {
    const made = document.createElement(name);
    made.className = className;
    made.append(...content);
    return made;
  }

  // Names and addresses that hold in a document of many pages.
  function relocate(article, { address, name }) {
    for (const each of article.querySelectorAll("[id]")) each.id = place(name, each.id);
    article.id = name;
    for (const link of article.querySelectorAll("a[href]")) {
      const to = new URL(link.getAttribute("href"), address);
      const found = places.get(to.href.replace(/#.*/, ""));
      if (found) link.setAttribute("href", `#${place(found, decodeURIComponent(to.hash.slice(1)))}`);
      else if (to.protocol !== "file:") continue;
      else if (to.pathname.endsWith(".html") || link.querySelector("img")) link.removeAttribute("href"); // not printed
      else link.remove(); // to the numbers of a figure
    }
    for (const each of article.querySelectorAll("[src]")) each.src = new URL(each.getAttribute("src"), address);
  }

  function lesson(page) {
    const read = new DOMParser().parseFromString(page.html, "text/html");
    const article = document.adoptNode(read.querySelector("article.bd-article"));
    for (const each of article.querySelectorAll("a.headerlink, details.hide")) each.remove();
    for (const each of article.querySelectorAll("details.sd-dropdown")) each.open = true;
    relocate(article, page);
    return article;
  }

  // A parsed script does not run; one that is made anew does.
  const run = (old) =>
    new Promise((done) => {
      const script = element("script", "");
      script.onload = done;
      script.src = old.src;
      old.replaceWith(script);
    });

  const contents = element("nav", "csb-contents-list", element("h2", "", "Contents"));
  const body = element("div", "bd-content csb-printed");
  pages.forEach((page, at) => {
    const article = lesson(page);
    body.append(article);
    if (page.part !== (pages[at - 1]?.part ?? "")) contents.append(element("p", "csb-part", page.part));
    const link = element("a", "", article.querySelector("h1").textContent);
    link.href = `#${page.name}`;
    contents.append(element("p", "", link));
  });
  const cover = element("header", "csb-cover", element("p", "csb-title", title), element("p", "", edition),
    element("p", "", "The lessons, with proofs, answers and solutions unfolded. Code and tables that the book folds away, " +
      "the evidence behind the lessons and most pages of reference are in the book alone."));
  body.prepend(cover, contents);
  document.title = title;
  document.body.replaceChildren(body);

  for (const script of body.querySelectorAll(".csb-interactive script[src]")) await run(script);
  await MathJax.typesetPromise([body]);
  await Promise.all([...body.querySelectorAll("img")].map((image) => image.decode()));
  await document.fonts.ready;

  // What is still wider than the text is shrunk to fit.
  for (const each of body.querySelectorAll("table, mjx-container[display] > svg")) {
    const room = each.parentElement.closest("div, dd, li, section").clientWidth;
    const width = Math.max(each.scrollWidth, each.getBoundingClientRect().width);
    if (width > room) each.style.zoom = room / width;
  }
}
