// The definition of a linked term: shown by mouse and focus, by the first touch; put away by Escape.
const bubble = document.createElement("div");
bubble.className = "csb-definition";
bubble.id = "csb-definition";
bubble.setAttribute("role", "tooltip");
bubble.hidden = true;
document.body.append(bubble);

let shown = null, touched = null, leaving = 0;

const hide = () => {
  shown?.removeAttribute("aria-describedby");
  shown = null;
  bubble.hidden = true;
};

const place = () => {
  const link = shown.getBoundingClientRect(), { clientWidth, clientHeight } = document.documentElement;
  const left = Math.max(8, Math.min(link.left, clientWidth - bubble.offsetWidth - 8));
  const below = link.bottom + bubble.offsetHeight + 4 <= clientHeight || link.top < bubble.offsetHeight + 4;
  bubble.style.left = `${left + scrollX}px`;
  bubble.style.top = `${scrollY + (below ? link.bottom + 4 : link.top - bubble.offsetHeight - 4)}px`;
};

const show = async (link) => {
  clearTimeout(leaving);
  if (shown === link) return;
  hide();
  shown = link;
  bubble.innerHTML = definitions[decodeURIComponent(link.hash.slice(1))];
  bubble.hidden = false;
  link.setAttribute("aria-describedby", bubble.id);
  place();
  await window.MathJax?.typesetPromise?.([bubble]);
  if (shown === link) place();
};

const leave = () => {
  clearTimeout(leaving);
  leaving = setTimeout(hide, 200); // time to reach the definition with the mouse
};

for (const term of document.querySelectorAll("a > .std-term")) {
  const link = term.parentElement;
  link.addEventListener("pointerenter", (event) => event.pointerType === "mouse" && show(link));
  link.addEventListener("pointerleave", leave);
  link.addEventListener("focus", () => show(link));
  link.addEventListener("blur", leave);
  link.addEventListener("pointerdown", (event) => {
    touched = event.pointerType !== "mouse" && shown !== link ? link : null;
  });
  link.addEventListener("click", (event) => {
    if (touched !== link) return; // the second touch follows the link
    event.preventDefault();
    show(link);
    touched = null;
  });
}
bubble.addEventListener("pointerenter", () => clearTimeout(leaving));
bubble.addEventListener("pointerleave", leave);
document.addEventListener("keydown", (event) => event.key === "Escape" && hide());
document.addEventListener("pointerdown", ({ target }) => {
  if (shown && !bubble.contains(target) && !shown.contains(target)) hide();
});
