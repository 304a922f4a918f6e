import type { Row, Span, Value } from "./types";

const ITEM = ["id", "phenomenon", "category", "severity", "langpair", "src", "ref", "good", "incorrect"];
const NAMES: Record<string, string> = { src: "source", ref: "reference" };
const WORST = ["neutral", "minor", "major", "critical"];

// A row as an item for `assay run`, or null; the Python version, src/assay/viewer/export.py, gives the reasons.
export function asItem(row: Row, kind: string): Record<string, Value> | null {
  if (kind === "items") {
    return Object.fromEntries(ITEM.filter((name) => row[name] !== null && row[name] !== undefined).map((name) => [NAMES[name] ?? name, row[name]]));
  }
  const [good, incorrect] = [row.ref, row.mt];
  if (!good || !incorrect || good === incorrect) return null;
  const spans = Array.isArray(row.spans) ? (row.spans as Span[]) : [];
  const worst = spans.reduce<Span | null>((a, b) => (a === null || WORST.indexOf(b.severity) > WORST.indexOf(a.severity) ? b : a), null);
  const named = ["system", "langpair", "id", "segment"].map((name) => row[name]).filter((value) => value !== null && value !== undefined && value !== "");
  const made: Record<string, Value | undefined> = {
    id: named.join("/"), phenomenon: worst?.category || worst?.severity || "chosen", severity: worst?.severity, langpair: row.langpair,
    source: row.src, reference: row.ref2, good, incorrect,
  };
  return Object.fromEntries(Object.entries(made).filter(([, value]) => value !== null && value !== undefined && value !== "")) as Record<string, Value>;
}

export const makesPairs = (columns: string[]): boolean =>
  ["good", "incorrect"].every((name) => columns.includes(name)) || ["mt", "ref"].every((name) => columns.includes(name));
