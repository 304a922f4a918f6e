import { quoted, written } from "./expression";
import { fixed } from "./format";
import { colours, ROOMY } from "./heat";
import { go } from "./route";
import { Scroll } from "./table";
import { Plain } from "./text";
import type { Cell, Detail, Start } from "./types";

// The expression for items on which a metric failed: the incorrect translation scores at least as well as the good one.
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
    // As in the figure: categories in order of appearance, the hardest phenomenon of each first.
    const categories = [...new Set(found.phenomena.map((one) => one.category))];
    const group = (i: number): number => categories.indexOf(found.phenomena[i].category);
    order.sort((a, b) => group(a) - group(b) || mean(a) - mean(b));
  }
  let category = "\0";
  return (
    <main>
      <h1>Phenomena</h1>
      <p class="muted">How often a metric scores the good translation above the incorrect one, in percent, with 95% intervals (Wilson).
        A tie is a failure. Colours show the distance from chance (50). Select a cell to see the items that the metric failed.</p>
      <div class="bar">
        <label>Order{" "}
          <select value={hardest ? "hardest" : "category"} onChange={(event) =>
            go("phenomena", run, { ...at, order: event.currentTarget.value === "hardest" ? "hardest" : "" }, true)}>
            <option value="category">by category</option>
            <option value="hardest">hardest first</option>
          </select>
        </label>
      </div>
      <Scroll label="Heat map of metrics and phenomena">
        <table class={metrics.length <= ROOMY ? "heat roomy" : "heat"}>
          <thead>
            <tr><th scope="col">phenomenon</th><th scope="col" class="num items">items</th>
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
                  <td class="num muted items">{phenomenon.n.toLocaleString("en-US")}</td>
                  {metrics.map((metric) => {
                    const cell = found.cells[metric][i];
                    const value = share(cell);
                    const bounds = cell.low === null || cell.high === null ? "" : `${fixed(100 * cell.low, 0)}–${fixed(100 * cell.high, 0)}`;
                    const missed = cell.n - cell.right;
                    return (
                      <td key={metric} class="cell">
                        <button disabled={!missed} style={Number.isNaN(value) ? {} : colours(value, start.heat)}
                          title={cell.n ? `${cell.right} of ${cell.n} correct; 95% interval ${bounds}` : "not scored"}
                          data-metric={metric} data-failed={missed}
                          onClick={() => go("segments", run, {
                            where: failed(metric, detail.head.metrics[metric]?.higher_is_better ?? true, phenomenon.name, cell.n < phenomenon.n),
                          })}>
                          <span class="unseen">{metric}, {phenomenon.name}: </span>{cell.n ? fixed(100 * value, 1) : "–"}
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
      </Scroll>
    </main>
  );
}
