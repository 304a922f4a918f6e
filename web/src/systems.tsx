import { useState } from "preact/hooks";
import { Axes, Plot, scale, Swatch, useFrame } from "./charts";
import { number, plural } from "./format";
import { Groups } from "./groups";
import { Scatter } from "./scatter";
import { RunTable } from "./table";
import { Plain } from "./text";
import type { Detail, Source, Spread, Start } from "./types";

const FEW = 6;

export function Systems({ detail, start, source, run, at }: {
  detail: Detail; start: Start; source: Source; run: string; at: Record<string, string>;
}) {
  const metrics = Object.keys(detail.distributions);
  const table = detail.tables.find((one) => one.name === "systems");
  const { systems } = detail.head;
  const colour = (system: string): string => start.palette[Math.max(0, systems.indexOf(system)) % start.palette.length];
  const [all, setAll] = useState(false);
  return (
    <main>
      <h1>Systems</h1>
      {table && <RunTable table={table} title={table.caption} />}
      {!metrics.length && <p>This run has no segment scores.</p>}
      {metrics.length > 0 && detail.groupings.length > 0 && <Groups {...{ detail, source, run, at }} />}
      <div class="grid">
        {metrics.length > 1 && <Scatter metrics={metrics} {...{ detail, source, run, at, colour }} />}
        {metrics.slice(0, all ? undefined : FEW).map((metric) => (
          <section key={metric} class="card">
            <h2><Plain text={detail.head.metrics[metric]?.label ?? metric} />{detail.head.metrics[metric]?.higher_is_better === false ? " ↓" : ""}</h2>
            <Histogram spread={detail.distributions[metric]} colour={colour} />
            <table class="plain">
              <thead><tr><th scope="col">system</th><th scope="col" class="num">segments</th><th scope="col" class="num">mean</th><th scope="col" class="num">median</th></tr></thead>
              <tbody>
                {Object.entries(detail.distributions[metric].systems).map(([system, one]) => (
                  <tr key={system}>
                    <td class="swatched"><Swatch colour={colour(system)} /><Plain text={system || "all"} /></td>
                    <td class="num">{one.n.toLocaleString("en-US")}</td>
                    <td class="num">{number(one.mean, detail.head.metrics[metric]?.decimals ?? 2)}</td>
                    <td class="num">{number(one.quartiles[1], detail.head.metrics[metric]?.decimals ?? 2)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
        ))}
      </div>
      {!all && metrics.length > FEW && <button class="quiet" onClick={() => setAll(true)}>Show {plural(metrics.length - FEW, "more metric")}</button>}
      {systems.length > start.palette.length && <p class="muted">Colours repeat after {start.palette.length} systems.</p>}
    </main>
  );
}

function Histogram({ spread, colour }: { spread: Spread; colour: (system: string) => string }) {
  const frame = useFrame(250, 540);
  const { edges } = spread;
  const systems = Object.entries(spread.systems);
  const xs: [number, number] = [edges[0], edges[edges.length - 1]];
  const ys: [number, number] = [0, Math.max(...systems.flatMap(([, one]) => one.counts.map((n) => n / one.n)), 1e-9)];
  const x = scale(...xs, frame.left, frame.width - 14);
  const y = scale(...ys, frame.height - frame.bottom, 10);
  return (
    <Plot frame={frame} label="Distribution of segment scores">
      <Axes frame={frame} {...{ xs, ys, x, y }} across="segment score" up="share of segments" percent="y" />
      {systems.map(([system, one]) => {
        const steps = one.counts.map((n, i) => `H${x(edges[i]).toFixed(1)}V${y(n / one.n).toFixed(1)}H${x(edges[i + 1]).toFixed(1)}`).join("");
        return (
          <path key={system} d={`M${x(edges[0])} ${y(0)}${steps}V${y(0)}`} class={systems.length === 1 ? "line filled" : "line"}
            style={{ "--c": colour(system) }} fill-opacity="0.3" stroke-width="1.6"><title>{system}</title></path>
        );
      })}
    </Plot>
  );
}
