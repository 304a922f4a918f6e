// One metric against another, one point per segment in the colour of its system. A box around points opens their rows.
import { useEffect, useRef, useState } from "preact/hooks";
import { around, Axes, scale, Swatch, useFrame } from "./charts";
import { written } from "./expression";
import { plural } from "./format";
import { askedOf, go } from "./route";
import { Plain } from "./text";
import type { Detail, Points, Source } from "./types";

interface Box { x0: number; y0: number; x1: number; y1: number }

export function Scatter({ metrics, detail, source, run, at, colour }: {
  metrics: string[]; detail: Detail; source: Source; run: string; at: Record<string, string>; colour: (system: string) => string;
}) {
  const frame = useFrame(420, 540);
  const across = metrics.includes(at.x) ? at.x : metrics[0];
  const up = metrics.includes(at.y) ? at.y : metrics[1];
  const [found, setFound] = useState<Points | null>(null);
  const [box, setBox] = useState<Box | null>(null);
  const svg = useRef<SVGSVGElement>(null);
  const from = useRef<[number, number]>([0, 0]); // the start of the box; the mouse may move before the page is redrawn
  useEffect(() => {
    let current = true;
    setBox(null);
    source.points(run, askedOf({}), across, up).then((points) => current && setFound(points), () => current && setFound(null));
    return () => { current = false; };
  }, [run, across, up]);
  const points = found?.points ?? [];
  const [xs, ys] = [around(points.map((point) => point[1]), 0.03), around(points.map((point) => point[2]), 0.03)];
  const [right, bottom, top] = [frame.width - 10, frame.height - frame.bottom, 10];
  const x = scale(...xs, frame.left, right);
  const y = scale(...ys, bottom, top);
  const place = (event: PointerEvent): [number, number] => {
    const drawn = (svg.current as SVGSVGElement).getBoundingClientRect();
    return [((event.clientX - drawn.left) / drawn.width) * frame.width, ((event.clientY - drawn.top) / drawn.height) * frame.height];
  };
  const drawTo = (event: PointerEvent) => {
    const [[x0, y0], [x1, y1]] = [from.current, place(event)];
    setBox(Math.abs(x1 - x0) + Math.abs(y1 - y0) < 4 ? null : { x0, y0, x1, y1 });
  };
  // The box in units of scores, for the filter.
  const chosen = box && {
    x: [box.x0, box.x1].sort((a, b) => a - b).map(scale(frame.left, right, ...xs)),
    y: [box.y0, box.y1].sort((a, b) => b - a).map(scale(bottom, top, ...ys)),
  };
  const inside = chosen ? points.filter(([, a, b]) => a >= chosen.x[0] && a <= chosen.x[1] && b >= chosen.y[0] && b <= chosen.y[1]).length : 0;
  const show = () => {
    if (!chosen) return;
    const [[left, end], [low, high]] = [chosen.x, chosen.y].map((values) => values.map((value) => +value.toPrecision(6)));
    go("segments", run, { where: `${left} <= ${written(across)} <= ${end} and ${low} <= ${written(up)} <= ${high}` });
  };
  const label = (metric: string): string => detail.head.metrics[metric]?.label ?? metric;
  const choose = (axis: "x" | "y", value: string) => (
    <label>{axis === "x" ? "Horizontal" : "Vertical"}{" "}
      <select value={value} onChange={(event) => go("systems", run, { ...at, [axis]: event.currentTarget.value }, true)}>
        {metrics.map((metric) => <option key={metric} value={metric}>{label(metric)}</option>)}
      </select>
    </label>
  );
  const systems = found?.systems ?? [];
  return (
    <section class="card">
      <h2>One metric against another</h2>
      <div class="bar">
        {choose("x", across)} {choose("y", up)}
        {box ? <button onClick={show}>Show {points.length < (found?.total ?? 0) ? "these" : plural(inside, "segment")}</button>
          : <span class="muted">Draw a box around points to see their segments.</span>}
      </div>
      <svg ref={svg} class="plot scatter" viewBox={`0 0 ${frame.width} ${frame.height}`} role="img" aria-label={`Segment scores: horizontal ${label(across)}, vertical ${label(up)}`}
        onPointerDown={(event) => {
          from.current = place(event);
          (event.currentTarget as SVGSVGElement).setPointerCapture(event.pointerId);
          drawTo(event);
        }}
        onPointerMove={(event) => { if (event.buttons) drawTo(event); }}
        onPointerUp={drawTo}>
        <Axes frame={frame} {...{ xs, ys, x, y }} across={label(across)} up={label(up)} />
        {points.map(([row, a, b, system]) => <circle key={row} cx={x(a)} cy={y(b)} r="2.4" class="filled" style={{ "--c": colour(systems[system] ?? "") }} fill-opacity="0.6" />)}
        {box && <rect class="brush" x={Math.min(box.x0, box.x1)} y={Math.min(box.y0, box.y1)} width={Math.abs(box.x1 - box.x0)} height={Math.abs(box.y1 - box.y0)} />}
      </svg>
      {systems.length > 1 && <ul class="parts">{systems.map((system) => <li key={system}><Swatch colour={colour(system)} /><Plain text={system} /></li>)}</ul>}
      {found && points.length < found.total && <p class="muted">{plural(points.length, "segment")} of {plural(found.total, "segment")} are drawn.</p>}
    </section>
  );
}
