import type { Column, TableRow } from "./types";

export const count = (n: number): string => n.toLocaleString("en-US");
export const plural = (n: number, noun: string, many = `${noun}s`): string => `${count(n)} ${n === 1 ? noun : many}`;

// A number with fixed decimals. Ties are rounded to even, as in Python, so that the page and the terminal show the same number;
// toFixed rounds ties away from zero.
export function fixed(value: number, decimals: number): string {
  const exact = value.toFixed(decimals + 25);
  const lower = exact.slice(0, -25).replace(/\.$/, "");
  return exact.endsWith(HALF) && Number(lower.at(-1)) % 2 === 0 ? lower : value.toFixed(decimals);
}

const HALF = `5${"0".repeat(24)}`;

export function number(value: unknown, decimals = 2): string {
  return typeof value === "number" && Number.isFinite(value) ? fixed(value, decimals) : "–";
}

export function cell(column: Column, row: TableRow): string {
  const value = row[column.key];
  if (value === null || value === undefined) return "–";
  if (typeof value !== "number") return Array.isArray(value) || typeof value === "object" ? JSON.stringify(value) : String(value);
  if (column.kind === "count") return count(value);
  if (column.kind === "percent") return fixed(100 * value, column.decimals);
  if (column.kind === "p") return value < 0.001 ? "< 0.001" : fixed(value, 3);
  if (column.kind === "text") return String(value);
  const digits = column.digits ? row[column.digits] : undefined;
  const said = fixed(value, typeof digits === "number" ? digits : column.decimals);
  return column.kind === "change" && value >= 0 ? `+${said}` : said;
}

// The bounds of a value, as shown after it.
export function bounds(column: Column, row: TableRow): string {
  if (!column.interval) return "";
  const [low, high] = column.interval.map((key) => row[key]);
  if (typeof low !== "number" || typeof high !== "number") return "";
  const scale = column.kind === "percent" ? 100 : 1;
  return `${fixed(low * scale, column.decimals)} to ${fixed(high * scale, column.decimals)}`;
}

export const time = (iso: string | null): string =>
  iso ? `${iso.slice(0, 10)} ${iso.slice(11, 16)}` : "";
