/* What a search shows first: lessons and practice, then the studies, the rest of the book, and last the programs. */
var Scorer = {
  // as Sphinx has them
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,

  weights: [
    [/_evidence$/, 0],
    [/^book\/(foundations|views|designs|practice)\//, 30],
    [/^book\/evidence\//, 20],
    [/^book\/reference\/glossary$/, -100], // its entries come with a score of a hundred
    [/^book\/(api|bibliography)|^_modules\//, -30],
  ],

  // a page whose title begins or ends with what was typed, or a section that is called just so
  named: 20,

  score: ([page, title, anchor, description, score]) => {
    const typed = (new URLSearchParams(window.location.search).get("q") || "").trim().toLowerCase();
    const found = Scorer.weights.find(([place]) => place.test(page));
    const own = title.split(" > ").pop().replace(/<span.*?<\/span>/, "").toLowerCase(); // without its number
    const named = typed && (own === typed || (!anchor && (own.startsWith(typed) || own.endsWith(typed))));
    return score + (found ? found[1] : 0) + (named ? Scorer.named : 0);
  },
};
