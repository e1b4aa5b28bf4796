// Numbers and intervals of the reader's table, as text.

const short = (v) => (Number.isFinite(v) ? v.toLocaleString("en", Math.abs(v) < 1 ? { maximumFractionDigits: 3 }
  : { minimumFractionDigits: 2, maximumFractionDigits: 2 }) : v < 0 ? "−∞" : "–").replace("-", "−");
const interval = ({ mean, low, high }) => `${short(mean)} [${short(low)}, ${short(high)}]`;

// What is saved, in a sentence: nobody speaks of negative money.
function inWords({ mean, low, high }) {
  const what = mean < 0 ? `costs ${short(-mean)} more a case` : `saves ${short(mean)} a case`;
  if (low === 0 && high === 0) return "costs just as much";
  if (!Number.isFinite(high - low)) return `${what}, and there are too few cases for an interval`;
  if (low > 0) return `${what} (between ${short(low)} and ${short(high)})`;
  if (high < 0) return `${what} (between ${short(-high)} and ${short(-low)})`;
  return `${what} (between ${short(high)} saved and ${short(0 - low)} lost); the interval includes zero, so the data at hand do not tell which is cheaper`;
}
