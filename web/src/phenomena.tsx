import { quoted, written } from "./expression";
import { go } from "./route";
import { Plain } from "./text";
import type { Cell, Detail, Start } from "./types";

// The expression that holds where a metric failed: incorrect scored as well as good, or better.
export function failed(metric: string, higher: boolean, phenomenon: string, unscored: boolean): string {
  const [good, incorrect] = [written(`${metric} good`), written(`${metric} incorrect`)];
  const there = unscored ? ` and ${good} is not missing and ${incorrect} is not missing` : "";
  return `phenomenon == ${quoted(phenomenon)}${there} and ${good} ${higher ? "<=" : ">="} ${incorrect}`;
}

export function Phenomena({ detail, start, run, at }: { detail: Detail; start: Start; run: string; at: Record<string, string> }) {
  const found = detail.phenomena;
  if (!found) return <main><h1>Phenomena</h1><p>This run has no pairs of good and incorrect translations.</p></main>;
  const metrics = Object.keys(found.cells);
  const hardest = at.order === "hardest";
  const share = (cell: Cell): number => (cell.n ? cell.right / cell.n : NaN);
  const mean = (i: number): number => {
    const shares = metrics.map((metric) => share(found.cells[metric][i])).filter((value) => !Number.isNaN(value));
    return shares.length ? shares.reduce((a, b) => a + b, 0) / shares.length : 2;
  };
  const order = found.phenomena.map((_, i) => i);
  if (hardest) order.sort((a, b) => mean(a) - mean(b));
  else {
    // As in the figure: categories as they come, the hardest of each first.
    const categories = [...new Set(found.phenomena.map((one) => one.category))];
    const group = (i: number): number => categories.indexOf(found.phenomena[i].category);
    order.sort((a, b) => group(a) - group(b) || mean(a) - mean(b));
  }
  let category = "\0";
  return (
    <main>
      <h1>Phenomena</h1>
      <p class="muted">How often a metric scores the good translation above the incorrect one, in percent, with 95% intervals (Wilson).
        A tie is a failure; the colour is away from chance at 50. Choose a cell to see the items that the metric failed.</p>
      <div class="bar">
        <label>Order{" "}
          <select value={hardest ? "hardest" : "category"} onChange={(event) =>
            go("phenomena", run, { ...at, order: event.currentTarget.value === "hardest" ? "hardest" : "" }, true)}>
            <option value="category">by category</option>
            <option value="hardest">hardest first</option>
          </select>
        </label>
      </div>
      <div class="scroll" tabIndex={0} role="region" aria-label="Heat map of metrics and phenomena">
        <table class="heat">
          <thead>
            <tr><th scope="col">phenomenon</th><th scope="col" class="num">items</th>
              {metrics.map((metric) => <th key={metric} scope="col"><Plain text={detail.head.metrics[metric]?.label ?? metric} />{detail.head.metrics[metric]?.higher_is_better === false ? " ↓" : ""}</th>)}</tr>
          </thead>
          <tbody>
            {order.map((i) => {
              const phenomenon = found.phenomena[i];
              const heading = !hardest && phenomenon.category !== category;
              category = phenomenon.category;
              return [
                heading && phenomenon.category && (
                  <tr key={`c${i}`} class="category"><th colSpan={metrics.length + 2} scope="colgroup"><Plain text={phenomenon.category} /></th></tr>
                ),
                <tr key={i}>
                  <th scope="row"><Plain text={phenomenon.name} /></th>
                  <td class="num muted">{phenomenon.n.toLocaleString("en-US")}</td>
                  {metrics.map((metric) => {
                    const cell = found.cells[metric][i];
                    const value = share(cell);
                    const bounds = cell.low === null || cell.high === null ? "" : `${(100 * cell.low).toFixed(0)}–${(100 * cell.high).toFixed(0)}`;
                    const missed = cell.n - cell.right;
                    return (
                      <td key={metric} class="cell">
                        <button disabled={!missed} style={Number.isNaN(value) ? {} : colours(value, start.heat)}
                          title={cell.n ? `${cell.right} of ${cell.n} right; 95% interval ${bounds}` : "not scored"}
                          data-metric={metric} data-failed={missed}
                          onClick={() => go("segments", run, {
                            where: failed(metric, detail.head.metrics[metric]?.higher_is_better ?? true, phenomenon.name, cell.n < phenomenon.n),
                          })}>
                          <span class="unseen">{metric}, {phenomenon.name}: </span>{cell.n ? (100 * value).toFixed(1) : "–"}
                          {bounds && <small>{bounds}</small>}
                        </button>
                      </td>
                    );
                  })}
                </tr>,
              ];
            })}
          </tbody>
        </table>
      </div>
    </main>
  );
}

// Away from the middle to one end of the scale; the letters are dark or light as the ground wants it.
function colours(value: number, [below, middle, above]: [string, string, string]): Record<string, string> {
  const far = Math.min(1, Math.abs(value - 0.5) * 2);
  const end = channels(value < 0.5 ? below : above);
  const mixed = channels(middle).map((channel, i) => Math.round(channel + (end[i] - channel) * far));
  const [r, g, b] = mixed.map((channel) => ((channel / 255) <= 0.04045 ? channel / 255 / 12.92 : ((channel / 255 + 0.055) / 1.055) ** 2.4));
  const light = 0.2126 * r + 0.7152 * g + 0.0722 * b;
  return { background: `rgb(${mixed.join(",")})`, color: light > 0.179 ? "#000" : "#fff" };
}

const channels = (colour: string): number[] => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
