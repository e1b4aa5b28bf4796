// What all printed documents need: the articles of pages as parts of one document, and their typesetting.
const printing = (() => {
  const place = (name, fragment) => (fragment ? `${name}--${fragment}` : name);

  function element(name, className, ...content) {
    const made = document.createElement(name);
    made.className = className;
    made.append(...content);
    return made;
  }

  // Names and addresses that hold in a document of many pages.
  function relocate(article, { address, name }, places) {
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

  // What is printed of each page, in turn.
  function articles(pages) {
    const places = new Map(pages.map((page) => [page.address, page.name]));
    return pages.map((page) => {
      const read = new DOMParser().parseFromString(page.html, "text/html");
      const article = document.adoptNode(read.querySelector("article.bd-article"));
      for (const each of article.querySelectorAll("a.headerlink, details.hide")) each.remove();
      for (const each of article.querySelectorAll("details.sd-dropdown")) each.open = true;
      relocate(article, page, places);
      return article;
    });
  }

  // A parsed script does not run; one that is made anew does.
  const run = (old) =>
    new Promise((done) => {
      const script = element("script", "");
      script.onload = done;
      script.src = old.src;
      old.replaceWith(script);
    });

  // Put the document in place of the page, and wait until all of it is drawn.
  async function show(body, title) {
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

  return { articles, element, show };
})();
