// Answers what test_own_table.py asks of the programs of the page, which lie beside a copy of this file: JSON in, JSON out.
const answers = JSON.parse(require("fs").readFileSync(0, "utf8")).map(({ bytes, choice }) => {
  const began = performance.now(), ms = () => performance.now() - began;
  try {
    const table = readTable(new Uint8Array(Buffer.from(bytes, "base64"))), guessed = guess(table);
    const read = { separator: table.separator, decimal: table.decimal, encoding: table.encoding, rows: table.rows, columns: [...table.columns] };
    if (!choice) return { read, guessed, ms: ms() };
    const found = evaluate(table, choice);
    return { found, code: pythonCode(choice.file, table, choice, found.used), ms: ms() };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { refusal: error.message, ms: ms() };
  }
});
process.stdout.write(JSON.stringify(answers, (_, v) => (typeof v === "number" && !Number.isFinite(v) ? String(v) : v)));
