// What the page and the server say to each other; the Python side is src/assay/viewer/server.py.
import type { ReviewHead } from "./desk";

export type Value = string | number | boolean | null | Span[] | string[];
export type Row = { "#": number; [column: string]: Value };

export interface Span {
  metric?: string;
  start: number;
  end: number;
  severity: string;
  category?: string;
  confidence?: number | null;
}

export interface MetricFacts {
  label: string;
  decimals: number;
  higher_is_better: boolean;
}

export interface Head {
  key: string;
  name: string;
  title: string;
  lead: string;
  verb: string;
  kind: "" | "items" | "segments";
  rows: number;
  columns: string[];
  systems: string[];
  metrics: Record<string, MetricFacts>;
  started: string | null;
  finished: string | null;
  version: string | null;
  signatures: Record<string, string>;
  problems: string[];
  live: Live | null;
}

// How far a run is that is still being written.
export interface Live {
  done: number;
  total: number | null;
  rate: number;
  left: number | null;
  slow: { metric?: string; done: number; total: number } | null;
  rows: number;
}

export interface Moved {
  gain: number;
  a: Row;
  b: Row;
}

export interface Compared {
  kind: "items" | "segments";
  names: [string, string];
  keys: [string, string];
  notes: string[];
  tables: Table[];
  moved: Record<string, { better: Moved[]; worse: Moved[] }>;
}

export type Exported = "csv" | "jsonl" | "challenge";

export interface Start {
  version: string;
  palette: string[];
  heat: [string, string, string];
  runs: Head[];
  review?: ReviewHead | null;
}

export interface Column {
  key: string;
  label: string;
  kind: "text" | "number" | "count" | "percent" | "p";
  decimals: number;
  interval?: [string, string] | null;
  mark?: string | null;
  hidden?: boolean;
  lower_is_better?: boolean;
}

export interface Table {
  name: string;
  caption: string;
  reading: string;
  notes: string[];
  columns: Column[];
  rows: Record<string, unknown>[];
}

export interface Cell {
  n: number;
  right: number;
  low: number | null;
  high: number | null;
}

export interface Phenomena {
  phenomena: { name: string; category: string; n: number }[];
  cells: Record<string, Cell[]>;
}

export interface Spread {
  edges: number[];
  systems: Record<string, { n: number; mean: number; quartiles: [number, number, number]; counts: number[] }>;
}

export interface Detail {
  head: Head;
  manifest: Record<string, unknown>;
  tables: Table[];
  phenomena: Phenomena | null;
  distributions: Record<string, Spread>;
  problems: string[];
}

export interface Asked {
  where: string;
  find: string;
  sort: string;
  descending: boolean;
}

export interface Window {
  total: number;
  rows: Row[];
}

export interface Points {
  total: number;
  points: [number, number, number][];
}

// Where the page gets its data: from the server, or out of its own file.
export interface Source {
  start(): Promise<Start>;
  detail(run: string): Promise<Detail>;
  rows(run: string, asked: Asked, start: number, count: number): Promise<Window>;
  row(run: string, row: number): Promise<{ row: Row; beside: Row[] }>;
  points(run: string, asked: Asked, x: string, y: string): Promise<Points>;
  download(run: string, asked: Asked, format: Exported): Promise<void>;
  compare(a: string, b: string): Promise<Compared>;
  live?(): Promise<{ live: Record<string, Live>; runs: Record<string, string> }>;
}
