// A table from the bytes of a file, as texts column by column; or a Refusal, whose message says why there is none.
class Refusal extends Error {}
const MOST = { bytes: 20e6, rows: 50_000, columns: 200, words: 12, features: 60, cells: 40_000 };
const NUMBER = /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i;
const DECIMAL_COMMA = /^\s*[+-]?\d*,\d+\s*$/;

const refuse = (sentence) => { throw new Refusal(sentence); };
const place = (row) => (row ? `row ${row}` : "the first line");
const many = (n, of) => `${n.toLocaleString("en")} ${of}${n === 1 ? "" : "s"}`;
function quoted(text) { // what a reader may recognise, however long it is
  const line = text.replace(/[\s\p{C}]+/gu, " ");
  return `“${line.length > 30 ? `${line.slice(0, 29)}…` : line}”`;
}

function decode(bytes) {
  if (!bytes.length) refuse("The file is empty.");
  if (bytes.length > MOST.bytes) refuse(`The file is larger than ${MOST.bytes / 1e6} MB, too much for a page.`);
  const utf16 = { 0xfffe: "utf-16le", 0xfeff: "utf-16be" }[(bytes[0] << 8) | bytes[1]];
  let text, encoding = utf16 ? "utf-16" : "utf-8-sig"; // Python's names: both drop the mark at the beginning
  try {
    text = new TextDecoder(utf16 ?? "utf-8", { fatal: true }).decode(bytes);
  } catch {
    [text, encoding] = [new TextDecoder("windows-1252").decode(bytes), "cp1252"];
  }
  if (/[\0-\x08\x0e-\x1a\x7f-\x9f]/.test(text)) refuse("This is not a text file. Save the table as CSV first.");
  if (!text.trim()) refuse("The file is empty.");
  return { text, encoding };
}

// The one that the first line has most of, outside quotes.
function separatorOf(text) {
  const line = text.slice(0, 1e5).replace(/"[^"]*"/g, "").trimStart().split(/[\r\n]/, 1)[0];
  const count = (mark) => line.split(mark).length;
  return [",", ";", "\t", "|"].reduce((best, mark) => (count(mark) > count(best) ? mark : best));
}

function parse(text, separator) {
  const rows = [], plain = new RegExp(`[^${separator}\\r\\n]*`, "y");
  let row = [], at = 0;
  while (at < text.length) {
    let cell = "";
    if (text[at] === '"') {
      for (let from = at + 1; ; from = at + 1) {
        at = text.indexOf('"', from);
        if (at < 0) refuse(`A quote opens in ${place(rows.length)} and is never closed.`);
        cell += text.slice(from, at);
        if (text[++at] !== '"') break; // two stand for one
        cell += '"';
      }
    } else {
      plain.lastIndex = at;
      cell = plain.exec(text)[0];
      at += cell.length;
    }
    row.push(cell);
    if (row.length > MOST.columns) refuse(`More than ${MOST.columns} columns, too many for a page.`);
    const mark = text[at];
    if (mark === separator) {
      if (++at < text.length) continue;
      row.push("");
    } else if (mark !== undefined && mark !== "\r" && mark !== "\n") {
      refuse(`In ${place(rows.length)} something stands behind a closing quote.`);
    }
    at += mark === "\r" && text[at + 1] === "\n" ? 2 : mark === separator ? 0 : 1;
    if (row.length > 1 || row[0]) rows.push(row); // blank lines count for nothing
    if (rows.length > MOST.rows + 1)
      refuse(`The table has more than ${many(MOST.rows, "row")}, too many for a page. Take a sample of them, or run csb itself.`);
    row = [];
  }
  return rows;
}

function readTable(bytes) {
  const { text, encoding } = decode(bytes), separator = separatorOf(text);
  const [names, ...rows] = parse(text, separator);
  const twice = names.find((name, k) => names.indexOf(name) < k);
  if (names.length < 2) refuse("There is one column only. Columns are parted by commas, semicolons, tabs or bars.");
  if (names.every((name) => NUMBER.test(name))) refuse("The first line has numbers. It must name the columns.");
  if (names.some((name) => !name.trim())) refuse("A column has no name. The first line must name all of them.");
  if (twice !== undefined) refuse(`Two columns have one name, ${quoted(twice)}.`);
  const uneven = rows.findIndex((row) => row.length !== names.length);
  if (uneven >= 0) {
    const why = separator === "," && rows[uneven].length > names.length ? " Is it a decimal comma?" : "";
    refuse(`Row ${uneven + 1} has ${many(rows[uneven].length, "cell")}, and the first line names ${names.length} columns.${why}`);
  }
  if (!rows.length) refuse("Below the names of the columns the file is empty.");
  const columns = new Map(names.map((name, k) => [name, rows.map((row) => row[k])]));
  const first = (like) => [...columns.values()].map((cells) => cells.find(like)).find((cell) => cell !== undefined);
  const comma = separator === "," ? undefined : first((cell) => DECIMAL_COMMA.test(cell));
  const point = comma && first((cell) => cell.includes(".") && NUMBER.test(cell));
  if (point) // the commas may be those of thousands
    refuse(`Some numbers have a comma, such as ${quoted(comma)}, and others a point, such as ${quoted(point)}. Write decimals one way, and thousands without a mark.`);
  return { columns, encoding, separator, decimal: comma ? "," : ".", rows: rows.length };
}

// Numbers of a column, NaN where a cell is empty; of a word, where it stands.
function numbersOf(table, name) {
  const cells = table.columns.get(name).map((cell) => (table.decimal === "," ? cell.replace(",", ".") : cell));
  const wrong = cells.findIndex((cell) => cell !== "" && !NUMBER.test(cell));
  return { numbers: cells.map((cell) => (cell === "" ? NaN : Number(cell))), wrong };
}
function numbers(table, name) {
  const found = numbersOf(table, name);
  if (found.wrong >= 0) {
    const cell = table.columns.get(name)[found.wrong], what = /^\s*[=@]/.test(cell) ? "a formula, not its value" : "not a number";
    refuse(`Row ${found.wrong + 1} of ${quoted(name)} says ${quoted(cell)}, which is ${what}.`);
  }
  return found.numbers;
}

const valuesOf = (table, name) => [...new Set(table.columns.get(name))].filter((cell) => cell !== "").sort();

// What the columns may be: those of two values, those of probabilities, other numbers.
function guess(table) {
  const names = [...table.columns.keys()], likely = (among, words) => among.find((name) => words.test(name));
  const outcomes = names.filter((name) => valuesOf(table, name).length === 2);
  if (!outcomes.length) refuse("No column has exactly two values, so none can be the outcome.");
  const amounts = [], probabilities = [];
  for (const name of names) {
    const found = numbersOf(table, name), known = found.numbers.filter((v) => !Number.isNaN(v));
    if (found.wrong >= 0 || !known.every((v) => v >= 0)) continue;
    amounts.push(name);
    if (known.every((v) => v <= 1) && known.some((v) => v > 0 && v < 1)) probabilities.push(name);
  }
  const rest = outcomes.filter((name) => !probabilities.includes(name));
  const outcome = likely(outcomes, /outcome|label|class|target|actual|^y$/i) ?? rest.at(-1) ?? outcomes.at(-1);
  for (const among of [amounts, probabilities]) if (among.includes(outcome)) among.splice(among.indexOf(outcome), 1);
  const probability = likely(probabilities, /prob|score|pred|^p/i) ?? (names.length <= 3 ? probabilities[0] : undefined);
  return { outcomes, outcome, numeric: amounts, probability: probability ?? "",
    amount: likely(amounts.filter((name) => name !== probability), /amount|price|value|euro|loss/i) ?? "" };
}
