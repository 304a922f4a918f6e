import { useEffect, useRef, useState } from "preact/hooks";
import { written } from "./expression";
import { number, plural } from "./format";
import { Groups } from "./groups";
import { go } from "./route";
import { RunTable } from "./table";
import { Plain } from "./text";
import type { Detail, Points, Source, Spread, Start } from "./types";

const FEW = 6;
const NO_ROWS = { where: "", find: "", sort: "", descending: false };

export function Systems({ detail, start, source, run, at }: {
  detail: Detail; start: Start; source: Source; run: string; at: Record<string, string>;
}) {
  const metrics = Object.keys(detail.distributions);
  const table = detail.tables.find((one) => one.name === "systems");
  const shape = (system: string): number => Math.max(0, detail.head.systems.indexOf(system));
  const chosen = detail.head.systems.slice(0, start.palette.length);
  const [all, setAll] = useState(false);
  return (
    <main>
      <h1>Systems</h1>
      {table && <RunTable table={table} />}
      {!metrics.length && <p>This run has no scores of segments.</p>}
      {metrics.length > 0 && detail.groupings.length > 0 && <Groups {...{ detail, source, run, at }} />}
      {metrics.length > 1 && <Scatter metrics={metrics} {...{ detail, start, source, run, at }} />}
      <div class="grid">
        {metrics.slice(0, all ? undefined : FEW).map((metric) => (
          <section key={metric} class="card">
            <h2><Plain text={detail.head.metrics[metric]?.label ?? metric} /></h2>
            <Histogram spread={detail.distributions[metric]} colour={(system) => start.palette[shape(system) % start.palette.length]} />
            <table class="plain">
              <thead><tr><th scope="col">system</th><th scope="col" class="num">segments</th><th scope="col" class="num">mean</th><th scope="col" class="num">median</th></tr></thead>
              <tbody>
                {Object.entries(detail.distributions[metric].systems).map(([system, one]) => (
                  <tr key={system}>
                    <td><Swatch colour={start.palette[shape(system) % start.palette.length]} /><Plain text={system || "all"} /></td>
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
      {!all && metrics.length > FEW && <button class="quiet" onClick={() => setAll(true)}>The other {metrics.length - FEW} metrics</button>}
      {detail.head.systems.length > chosen.length && <p class="muted">Colours begin again after {chosen.length} systems.</p>}
    </main>
  );
}

function Swatch({ colour }: { colour: string }) {
  return <svg class="swatch" width="10" height="10" aria-hidden="true"><rect class="filled" style={{ "--c": colour }} width="10" height="10" rx="2" /></svg>;
}

const [W, H, L, B] = [420, 190, 44, 26];

function Histogram({ spread, colour }: { spread: Spread; colour: (system: string) => string }) {
  const { edges } = spread;
  const systems = Object.entries(spread.systems);
  const most = Math.max(...systems.flatMap(([, one]) => one.counts.map((n) => n / one.n)), 1e-9);
  const x = (value: number): number => L + ((value - edges[0]) / (edges[edges.length - 1] - edges[0])) * (W - L - 8);
  const y = (share: number): number => H - B - (share / most) * (H - B - 10);
  return (
    <svg class="plot" viewBox={`0 0 ${W} ${H}`} role="img" aria-label="Distribution of segment scores">
      <Axis ticks={ticks(edges[0], edges[edges.length - 1])} place={x} />
      {[0, most].map((share) => <text key={share} x={L - 6} y={y(share) + 4} text-anchor="end">{(100 * share).toFixed(0)}%</text>)}
      {systems.map(([system, one]) => {
        const steps = one.counts.map((n, i) => `H${x(edges[i]).toFixed(1)}V${y(n / one.n).toFixed(1)}H${x(edges[i + 1]).toFixed(1)}`).join("");
        return (
          <path key={system} d={`M${x(edges[0])} ${y(0)}${steps}V${y(0)}`} class={systems.length === 1 ? "line filled" : "line"}
            style={{ "--c": colour(system) }} fill-opacity="0.3" stroke-width="1.6"><title>{system}</title></path>
        );
      })}
    </svg>
  );
}

function Axis({ ticks: shown, place, height = H }: { ticks: number[]; place: (value: number) => number; height?: number }) {
  return (
    <g class="axis">
      {shown.map((value) => (
        <g key={value}>
          <line x1={place(value)} x2={place(value)} y1={10} y2={height - B} />
          <text x={place(value)} y={height - 8} text-anchor="middle">{String(+value.toPrecision(6))}</text>
        </g>
      ))}
    </g>
  );
}

export function ticks(low: number, high: number): number[] {
  const raw = (high - low) / 5 || 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((times) => times * power).find((size) => size >= raw) as number;
  const found = [];
  for (let value = Math.ceil(low / step) * step; value <= high + step / 1e6; value += step) found.push(value);
  return found;
}

type Box = { x0: number; y0: number; x1: number; y1: number };

function Scatter({ metrics, detail, start, source, run, at }: {
  metrics: string[]; detail: Detail; start: Start; source: Source; run: string; at: Record<string, string>;
}) {
  const [SW, SH] = [560, 400];
  const x = metrics.includes(at.x) ? at.x : metrics[0];
  const y = metrics.includes(at.y) ? at.y : metrics[1];
  const [found, setFound] = useState<Points | null>(null);
  const [box, setBox] = useState<Box | null>(null);
  const svg = useRef<SVGSVGElement>(null);
  useEffect(() => {
    let current = true;
    setBox(null);
    source.points(run, NO_ROWS, x, y).then((points) => current && setFound(points), () => current && setFound(null));
    return () => { current = false; };
  }, [run, x, y]);
  const range = (at: 1 | 2): [number, number] => {
    const values = found?.points.map((point) => point[at]) ?? [];
    const [low, high] = values.reduce(([a, b], value) => [Math.min(a, value), Math.max(b, value)], [Infinity, -Infinity]);
    return values.length ? (high > low ? [low, high] : [low - 1, high + 1]) : [0, 1];
  };
  const [xs, ys] = [range(1), range(2)];
  const px = (value: number): number => L + 8 + ((value - xs[0]) / (xs[1] - xs[0])) * (SW - L - 20);
  const py = (value: number): number => SH - B - 6 - ((value - ys[0]) / (ys[1] - ys[0])) * (SH - B - 20);
  const place = (event: PointerEvent): [number, number] => {
    const frame = (svg.current as SVGSVGElement).getBoundingClientRect();
    return [((event.clientX - frame.left) / frame.width) * SW, ((event.clientY - frame.top) / frame.height) * SH];
  };
  const back = (one: Box): [number, number, number, number] => {
    const value = (at: number, low: number, high: number, [from, to]: [number, number]): number => from + ((at - low) / (high - low)) * (to - from);
    const [left, right] = [Math.min(one.x0, one.x1), Math.max(one.x0, one.x1)].map((at) => value(at, L + 8, SW - 12, xs));
    const [bottom, top] = [Math.max(one.y0, one.y1), Math.min(one.y0, one.y1)].map((at) => value(SH - B - 6 - at, 0, SH - B - 20, ys));
    return [left, right, bottom, top];
  };
  const inside = box && found ? (([left, right, bottom, top]) =>
    found.points.filter((point) => point[1] >= left && point[1] <= right && point[2] >= bottom && point[2] <= top).length)(back(box)) : 0;
  const show = () => {
    if (!box) return;
    const [left, right, bottom, top] = back(box).map((value) => +value.toPrecision(6));
    const [a, b] = [written(x), written(y)];
    go("segments", run, { where: `${left} <= ${a} <= ${right} and ${bottom} <= ${b} <= ${top}` });
  };
  const choose = (axis: "x" | "y", value: string) => (
    <label>{axis === "x" ? "Across" : "Up"}{" "}
      <select value={value} onChange={(event) => go("systems", run, { ...at, [axis]: event.currentTarget.value }, true)}>
        {metrics.map((metric) => <option key={metric} value={metric}>{detail.head.metrics[metric]?.label ?? metric}</option>)}
      </select>
    </label>
  );
  return (
    <section class="card">
      <h2>One metric against another</h2>
      <div class="bar">
        {choose("x", x)} {choose("y", y)}
        {box ? <button onClick={show}>Show {found && found.points.length < found.total ? "these" : plural(inside, "segment")}</button>
          : <span class="muted">Draw a box over points to see their segments.</span>}
      </div>
      <svg ref={svg} class="plot scatter" viewBox={`0 0 ${SW} ${SH}`} role="img" aria-label={`Segment scores: ${x} across, ${y} up`}
        onPointerDown={(event) => {
          const [x0, y0] = place(event);
          (event.currentTarget as SVGSVGElement).setPointerCapture(event.pointerId);
          setBox({ x0, y0, x1: x0, y1: y0 });
        }}
        onPointerMove={(event) => {
          if (!event.buttons || !box) return;
          const [x1, y1] = place(event);
          setBox({ ...box, x1, y1 });
        }}
        onPointerUp={() => box && Math.abs(box.x1 - box.x0) + Math.abs(box.y1 - box.y0) < 4 && setBox(null)}>
        <Axis ticks={ticks(...xs)} place={px} height={SH} />
        <g class="axis">
          {ticks(...ys).map((value) => (
            <g key={value}>
              <line x1={L + 8} x2={SW - 12} y1={py(value)} y2={py(value)} />
              <text x={L} y={py(value) + 4} text-anchor="end">{String(+value.toPrecision(6))}</text>
            </g>
          ))}
        </g>
        {found?.points.map(([row, a, b]) => <circle key={row} cx={px(a)} cy={py(b)} r="2.4" class="filled" style={{ "--c": start.palette[0] }} fill-opacity="0.7" />)}
        {box && <rect class="brush" x={Math.min(box.x0, box.x1)} y={Math.min(box.y0, box.y1)} width={Math.abs(box.x1 - box.x0)} height={Math.abs(box.y1 - box.y0)} />}
      </svg>
      {found && found.points.length < found.total && <p class="muted">{plural(found.points.length, "segment")} of {plural(found.total, "segment")} are drawn.</p>}
    </section>
  );
}
