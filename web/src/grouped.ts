// Scores by group and system; src/assay/viewer/summary.py does the same on the server.
import { quoted, written } from "./expression";
import type { Grouped, Value } from "./types";

export function grouped(columns: Record<string, Value[]>, by: string, metric: string): Grouped {
  const scores = columns[metric] ?? [];
  const { names, codes, wheres } = groups(columns, by);
  const whose = (columns.system ?? scores.map(() => "")).map((name) => String(name ?? ""));
  const systems = [...new Set(whose)];
  const values = names.map((): Record<string, number[]> => ({}));
  scores.forEach((score, i) => {
    if (typeof score === "number" && Number.isFinite(score) && codes[i] >= 0) (values[codes[i]][whose[i]] ??= []).push(score);
  });
  const found = names.map((name, i) => ({
    name, where: wheres[i],
    cells: Object.fromEntries(systems.filter((system) => values[i][system]).map((system) => [system, moments(values[i][system])])),
  }));
  return { systems, groups: found.filter((group) => Object.keys(group.cells).length) };
}

function moments(values: number[]): [number, number, number | null] {
  const n = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  return [n, mean, n > 1 ? Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1)) : null];
}

function groups(columns: Record<string, Value[]>, by: string): { names: string[]; codes: number[]; wheres: string[] } {
  const of = /^length\((src|mt)\)$/.exec(by);
  if (of) {
    const sizes = columns[of[1]].map((text) => (typeof text === "string" ? [...text].length : -1));
    const ordered = sizes.filter((size) => size >= 0).sort((a, b) => a - b);
    const last = ordered[ordered.length - 1] ?? 0;
    const cuts = [...new Set([1, 2, 3].map((k) => ordered[Math.max(0, Math.ceil((ordered.length * k) / 4) - 1)]))].filter((cut) => cut < last);
    const edges = [-1, ...cuts, last];
    const code = (size: number): number => (size < 0 ? -1 : edges.findIndex((edge, i) => i > 0 && size <= edge) - 1);
    const spans = cuts.map((_, i) => i).concat(cuts.length);
    return {
      names: spans.map((i) => `${(edges[i] + 1).toLocaleString("en-US")} to ${edges[i + 1].toLocaleString("en-US")} characters`),
      codes: sizes.map(code),
      wheres: spans.map((i) => `${sizes.includes(-1) ? `${of[1]} is not missing and ` : ""}${edges[i] < 0 ? "" : `${edges[i]} < `}${by} <= ${edges[i + 1]}`),
    };
  }
  const places = new Map<string, number>();
  const codes = (columns[by] ?? []).map((value) => {
    if (value === null || value === "") return -1;
    const name = typeof value === "boolean" ? (value ? "True" : "False") : String(value);
    if (!places.has(name)) places.set(name, places.size);
    return places.get(name) as number;
  });
  const names = [...places.keys()];
  const is = (name: string): string =>
    (name === "True" ? written(by) : name === "False" ? `not ${written(by)}` : `${written(by)} == ${quoted(name)}`);
  const there = (columns[by] ?? []).includes(null) ? `${written(by)} is not missing and ` : "";
  return { names, codes, wheres: names.map((name) => there + is(name)) };
}
