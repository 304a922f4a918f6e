// Shared parts of plots: scales, axes with grid lines, and lines with the band of an interval.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";

export type Scale = (value: number) => number;
export const scale = (low: number, high: number, from: number, to: number): Scale =>
  (value) => from + ((value - low) / (high - low || 1)) * (to - from);

export const around = (values: number[], share = 0.05): [number, number] => {
  const [low, high] = values.reduce(([a, b], value) => [Math.min(a, value), Math.max(b, value)], [Infinity, -Infinity]);
  if (!values.length) return [0, 1];
  const room = (high - low) * share || Math.abs(high) * share || 1;
  return [low - room, high + room];
};

export function ticks(low: number, high: number): number[] {
  const raw = (high - low) / 5 || 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((times) => times * power).find((size) => size >= raw) as number;
  const found = [];
  for (let value = Math.ceil(low / step) * step; value <= high + step / 1e6; value += step) found.push(value);
  return found;
}

export interface Frame {
  width: number;
  height: number;
  left: number;
  bottom: number;
}

// A frame that is legible on a phone: text keeps its size if the plot must be narrower.
export function useFrame(height: number, width: number): Frame {
  const asked = matchMedia("(max-width: 700px)");
  const [narrow, setNarrow] = useState(asked.matches);
  useEffect(() => {
    const changed = () => setNarrow(asked.matches);
    asked.addEventListener("change", changed);
    return () => asked.removeEventListener("change", changed);
  }, []);
  return { width: narrow ? Math.min(width, 380) : width, height: narrow ? Math.min(height, 320) : height, left: narrow ? 54 : 62, bottom: 44 };
}

// A plot that is never larger than its frame, so that text keeps its size.
export function Plot({ frame, label, name = "", children }: { frame: Frame; label: string; name?: string; children: ComponentChildren }) {
  return (
    <svg class={`plot ${name}`} viewBox={`0 0 ${frame.width} ${frame.height}`} style={{ maxWidth: `${frame.width}px` }} role="img" aria-label={label}>
      {children}
    </svg>
  );
}

export function Swatch({ colour }: { colour: string }) {
  return <svg class="swatch" width="10" height="10" aria-hidden="true"><rect class="filled" style={{ "--c": colour }} width="10" height="10" rx="2" /></svg>;
}

export function Axes({ frame, xs, ys, x, y, across, up, percent = "" }: {
  frame: Frame; xs: [number, number]; ys: [number, number]; x: Scale; y: Scale; across: string; up: string; percent?: string;
}) {
  const { width, height, left, bottom } = frame;
  const said = (value: number, axis: string): string => (percent.includes(axis) ? `${+(100 * value).toPrecision(4)}%` : String(+value.toPrecision(6)));
  return (
    <g class="axis">
      {ticks(...xs).filter((_, i) => width > 400 || i % 2 === 0).map((value) => (
        <g key={`x${value}`}>
          <line x1={x(value)} x2={x(value)} y1={10} y2={height - bottom} />
          <text x={x(value)} y={height - bottom + 15} text-anchor="middle">{said(value, "x")}</text>
        </g>
      ))}
      {ticks(...ys).map((value) => (
        <g key={`y${value}`}>
          <line x1={left} x2={width - 10} y1={y(value)} y2={y(value)} />
          <text x={left - 6} y={y(value) + 4} text-anchor="end">{said(value, "y")}</text>
        </g>
      ))}
      <text class="title" x={(left + width - 10) / 2} y={height - 6} text-anchor="middle">{across}</text>
      <text class="title" transform={`translate(12 ${(10 + height - bottom) / 2}) rotate(-90)`} text-anchor="middle">{up}</text>
    </g>
  );
}

// A line through the available points, with gaps at missing values.
export function line(xs: number[], ys: (number | null)[], x: Scale, y: Scale): string {
  let drawing = false;
  return xs.map((value, i) => {
    const at = ys[i];
    if (at === null) {
      drawing = false;
      return "";
    }
    const piece = `${drawing ? "L" : "M"}${x(value).toFixed(1)} ${y(at).toFixed(1)}`;
    drawing = true;
    return piece;
  }).join("");
}

export function band(xs: number[], low: (number | null)[], high: (number | null)[], x: Scale, y: Scale): string {
  const there = xs.map((_, i) => i).filter((i) => low[i] !== null && high[i] !== null);
  if (there.length < 2) return "";
  const piece = (i: number, values: (number | null)[]): string => `${x(xs[i]).toFixed(1)} ${y(values[i] as number).toFixed(1)}`;
  return `M${there.map((i) => piece(i, high)).join("L")}L${[...there].reverse().map((i) => piece(i, low)).join("L")}Z`;
}
