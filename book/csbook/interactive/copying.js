// Whether a text has got to the clipboard; where the page may not use it, what select() selects is copied or can be.
async function copied(text, select) {
  if (await navigator.clipboard?.writeText(text).then(() => true, () => false)) return true;
  select();
  return document.execCommand("copy");
}
