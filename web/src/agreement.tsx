import { useEffect, useState } from "preact/hooks";
import { around, Axes, type Frame, Plot, scale, useFrame } from "./charts";
import { quoted } from "./expression";
import { number, plural } from "./format";
import { askedOf, link } from "./route";
import { Scroll } from "./table";
import { Plain } from "./text";
import type { Detail, JudgedPair, Points, Source, Start } from "./types";

// A metric against human judgements in one language pair: one point per system or per segment.
export function Agreement({ pairs, usual, detail, start, source, run, at, set }: {
  pairs: JudgedPair[]; usual: string[]; detail: Detail; start: Start; source: Source; run: string; at: Record<string, string>; set: (changed: Record<string, string>) => void;
}) {
  const usable = pairs.filter((pair) => Object.keys(pair.metrics).length);
  const pair = usable.find((one) => one.langpair === at.pair) ?? usable[0];
  const metrics = Object.keys(pair.metrics);
  const metric = metrics.includes(at.metric) ? at.metric : usual.find((name) => metrics.includes(name)) ?? metrics[0];
  const byRow = pair.column !== "" && detail.head.columns.includes(pair.column) && detail.head.columns.includes(metric);
  const segments = at.level === "segments" && byRow;
  const where = detail.head.columns.includes("langpair") && pair.langpair ? `langpair == ${quoted(pair.langpair)}` : "";
  const label = detail.head.metrics[metric]?.label ?? metric;
  const some = pair.apart.some(Boolean);
  const all = at.apart === "1";
  return (
    <section class="card">
      <div class="bar">
        <h2>Metric against human judgements</h2>
        <label>Pair <select value={pair.langpair} onChange={(event) => set({ pair: event.currentTarget.value })}>
          {usable.map((one) => <option key={one.langpair} value={one.langpair}>{one.langpair || "all"}</option>)}
        </select></label>
        <label>Metric <select value={metric} onChange={(event) => set({ metric: event.currentTarget.value })}>
          {metrics.map((name) => <option key={name} value={name}>{detail.head.metrics[name]?.label ?? name}</option>)}
        </select></label>
        {byRow && (
          <label>Points <select value={segments ? "segments" : "systems"} onChange={(event) => set({ level: event.currentTarget.value })}>
            <option value="systems">systems</option><option value="segments">segments</option>
          </select></label>
        )}
        {!segments && some && (
          <label><input type="checkbox" checked={all} onChange={(event) => set({ apart: event.currentTarget.checked ? "1" : "" })} /> human translations and outliers</label>
        )}
      </div>
      {segments ? <Segments {...{ source, run, where, metric, label, start }} column={pair.column} gold={pair.gold} /> : <Systems {...{ pair, metric, label, start, all }} />}
      {segments && <p><a href={link("segments", run, { where, sort: pair.column })}>Show these segments, worst human scores first</a></p>}
    </section>
  );
}

export function pearson(xs: number[], ys: number[]): number {
  const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [mx, my] = [mean(xs), mean(ys)];
  const dot = (a: number[], ma: number, b: number[], mb: number): number => a.reduce((sum, value, i) => sum + (value - ma) * (b[i] - mb), 0);
  return dot(xs, mx, ys, my) / Math.sqrt(dot(xs, mx, xs, mx) * dot(ys, my, ys, my));
}

// Names such as MQM, DA and ESA are in lower case in files.
const shout = (gold: string): string => (/^[a-z-]{2,7}$/.test(gold) && gold !== "score" ? gold.toUpperCase() : gold);

interface Point { name: string; apart: string; x: number; y: number }

function Systems({ pair, metric, label, start, all }: { pair: JudgedPair; metric: string; label: string; start: Start; all: boolean }) {
  const frame = useFrame(400, 540);
  const points: Point[] = pair.systems.flatMap((name, i) => {
    const [x, y] = [pair.metrics[metric][i], pair.people[i]];
    return x === null || y === null || (pair.apart[i] && !all) ? [] : [{ name, apart: pair.apart[i], x, y }];
  });
  if (points.length < 2) return <p>Fewer than two systems have both scores.</p>;
  const [xs, ys] = [around(points.map((point) => point.x), 0.08), around(points.map((point) => point.y), 0.08)];
  const x = scale(...xs, frame.left, frame.width - 10);
  const y = scale(...ys, frame.height - frame.bottom, 10);
  const r = pearson(points.map((point) => point.x), points.map((point) => point.y));
  const gold = shout(pair.gold);
  const spots = names(points.map((point) => ({ ...point, x: x(point.x), y: y(point.y) })), frame);
  return (
    <>
      <p role="status">Pearson r = <b data-r={r}>{r.toFixed(3)}</b> for {plural(points.length, "system")}.</p>
      <div class="beside">
        <Plot frame={frame} name="against" label={`Systems of ${pair.langpair}: horizontal ${label}, vertical ${gold} by annotators. Pearson r = ${r.toFixed(3)}. The table has the numbers.`}>
          <Axes frame={frame} {...{ xs, ys, x, y }} across={label} up={`${gold}, annotators`} />
          {points.map((point, i) => (
            <g key={point.name} class="point">
              {point.apart
                ? <rect class="filled" style={{ "--c": start.palette[1] }} x={x(point.x) - 4} y={y(point.y) - 4} width="8" height="8" transform={`rotate(45 ${x(point.x)} ${y(point.y)})`} />
                : <circle class="filled" style={{ "--c": start.palette[0] }} cx={x(point.x)} cy={y(point.y)} r="5" />}
              {spots[i] && <text class="name" x={spots[i].x} y={spots[i].y} text-anchor={spots[i].anchor}>{point.name}</text>}
              <title>{`${point.name}: ${label} ${point.x.toFixed(3)}, annotators ${point.y.toFixed(3)}`}</title>
            </g>
          ))}
        </Plot>
        <Scroll label="Systems with both scores">
          <table class="plain">
            <thead><tr><th scope="col">system</th><th scope="col" class="num">{label}</th><th scope="col" class="num">{gold}, annotators</th></tr></thead>
            <tbody>
              {[...points].sort((a, b) => b.y - a.y).map((point) => (
                <tr key={point.name}><th scope="row"><Plain text={point.name} />{point.apart && <span class="tag">{point.apart}</span>}</th><td class="num">{number(point.x, 3)}</td><td class="num">{number(point.y, 3)}</td></tr>
              ))}
            </tbody>
          </table>
          {all && <p class="muted">● systems · ◆ human translations and outliers</p>}
        </Scroll>
      </div>
    </>
  );
}

// Positions of names next to their points without overlaps; a name without space is omitted, since the table has it.
function names(points: Point[], frame: Frame): ({ x: number; y: number; anchor: "start" | "end" | "middle" } | null)[] {
  type Box = [number, number, number, number];
  const taken: Box[] = points.map((point) => [point.x - 5, point.y - 5, point.x + 5, point.y + 5]);
  const free = ([x0, y0, x1, y1]: Box, own: number): boolean =>
    x0 > frame.left && x1 < frame.width - 2 && y0 > 2 && y1 < frame.height - frame.bottom
    && taken.every((other, i) => i === own || x1 < other[0] || x0 > other[2] || y1 < other[1] || y0 > other[3]);
  return points.map((point, own) => {
    const wide = 6.3 * [...point.name].length;
    const spots: [number, number, "start" | "end" | "middle"][] = [
      [8, 4, "start"], [-8, 4, "end"], [0, -9, "middle"], [0, 17, "middle"], [7, -7, "start"], [-7, -7, "end"], [7, 14, "start"], [-7, 14, "end"],
    ];
    for (const [dx, dy, anchor] of spots) {
      const [x, y] = [point.x + dx, point.y + dy];
      const left = anchor === "start" ? x : anchor === "end" ? x - wide : x - wide / 2;
      const box: Box = [left, y - 10, left + wide, y + 3];
      if (free(box, own)) {
        taken.push(box);
        return { x, y, anchor };
      }
    }
    return null;
  });
}

function Segments({ source, run, where, metric, label, column, gold, start }: {
  source: Source; run: string; where: string; metric: string; label: string; column: string; gold: string; start: Start;
}) {
  const frame = useFrame(400, 540);
  const [found, setFound] = useState<Points | null>(null);
  const [error, setError] = useState("");
  useEffect(() => {
    let current = true;
    setFound(null);
    source.points(run, askedOf({ where }), metric, column)
      .then((points) => current && setFound(points), (reason: Error) => current && setError(reason.message));
    return () => { current = false; };
  }, [run, where, metric, column]);
  if (error) return <p class="problem">{error}</p>;
  if (!found) return <p class="muted" aria-busy="true">Loading …</p>;
  if (found.points.length < 2) return <p>Fewer than two segments have both scores.</p>;
  const [xs, ys] = [around(found.points.map((point) => point[1])), around(found.points.map((point) => point[2]))];
  const x = scale(...xs, frame.left, frame.width - 10);
  const y = scale(...ys, frame.height - frame.bottom, 10);
  const r = pearson(found.points.map((point) => point[1]), found.points.map((point) => point[2]));
  const drawn = found.points.length < found.total ? ` of ${found.total.toLocaleString("en-US")}` : "";
  return (
    <>
      <p role="status">Pearson r = <b>{r.toFixed(3)}</b> for {plural(found.points.length, "segment")}{drawn}.</p>
      <Plot frame={frame} name="against" label={`Segments: horizontal ${label}, vertical ${shout(gold)} by annotators. Pearson r = ${r.toFixed(3)}.`}>
        <Axes frame={frame} {...{ xs, ys, x, y }} across={label} up={`${shout(gold)}, annotators`} />
        {found.points.map(([row, a, b]) => <circle key={row} cx={x(a)} cy={y(b)} r="2.2" class="filled" style={{ "--c": start.palette[0] }} fill-opacity="0.45" />)}
      </Plot>
    </>
  );
}
