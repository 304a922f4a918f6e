// Types of the messages between page and server; the Python side is src/assay/viewer/server.py.
import type { ReviewHead } from "./session";

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
  screens: string[];
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

// Progress of a running run.
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
  kind: "text" | "number" | "change" | "count" | "percent" | "p";
  decimals: number;
  digits?: string | null;
  interval?: [string, string] | null;
  mark?: string | null;
  hidden?: boolean;
  lower_is_better?: boolean;
}

export type TableRow = Record<string, unknown>;

export interface Table {
  name: string;
  caption: string;
  reading: string;
  notes: string[];
  columns: Column[];
  rows: TableRow[];
  pivot?: { index: string; columns: string; value: string } | null;
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

// A ranking of metrics by agreement with human judgements, or of systems by human judgements (src/assay/viewer/judgements.py).
export interface Entry {
  name: string;
  value: number | null;
  low: number | null;
  high: number | null;
  cluster: number | null;
  ranks: string;
  kind: string;
}

export interface Comparison {
  names: string[];
  difference: (number | null)[];
  low: (number | null)[];
  high: (number | null)[];
  p: (number | null)[];
}

export interface Ranking {
  key: string;
  title: string;
  of: "metrics" | "systems";
  label: string;
  decimals: number;
  lower_is_better: boolean;
  entries: Entry[];
  comparison: Comparison | null;
  two_sided: boolean;
  about: string;
}

export interface JudgedPair {
  langpair: string;
  gold: string;
  systems: string[];
  people: (number | null)[];
  apart: ("" | "human" | "outlier")[];
  metrics: Record<string, (number | null)[]>;
  column: string;
}

export interface PointCurve {
  metric: string;
  pairs: number;
  difference: number[];
  agree: number[];
  low: (number | null)[];
  high: (number | null)[];
  origin: string;
}

export interface PeopleFound {
  rankings: Ranking[];
  pairs: JudgedPair[];
  curves: PointCurve[];
}

// Numbers of rows used, reviewed and rejected at every threshold (src/assay/core/screens.py).
export type RiskName = "caught" | "bad_used" | "lost";

export interface Figures {
  expected: (number | null)[];
  observed: (number | null)[];
  low: (number | null)[];
  high: (number | null)[];
}

export interface Sweep {
  metric: string;
  column: string;
  higher_is_better: boolean;
  decimals: number;
  where: string;
  counted: string;
  limits: number[];
  used: number[];
  review: number[];
  rejected: number[];
  figures: Record<RiskName, Figures>;
  unscored: number;
  task: string;
  language: string;
  limit: number | null;
  reject: number | null;
  promise: string;
  promised: (number | null)[];
  risk: RiskName;
  calibration: { expected: number; observed: number; low: number | null; high: number | null; n: number }[];
}

export interface Deciding {
  goal: string;
  sweeps: Sweep[];
}

export interface Grouping {
  key: string;
  label: string;
  groups: number;
}

// A group's scores by system: number, mean and standard deviation.
export interface Grouped {
  systems: string[];
  groups: { name: string; where: string; cells: Record<string, [number, number, number | null]> }[];
}

export interface Detail {
  head: Head;
  manifest: Record<string, unknown>;
  tables: Table[];
  phenomena: Phenomena | null;
  distributions: Record<string, Spread>;
  people: PeopleFound | null;
  deciding: Deciding | null;
  groupings: Grouping[];
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
  points: [row: number, x: number, y: number, system: number][];
  systems: string[];
}

// The source of the page's data: the server, or data embedded in the page.
export interface Source {
  start(): Promise<Start>;
  detail(run: string): Promise<Detail>;
  rows(run: string, asked: Asked, start: number, count: number): Promise<Window>;
  row(run: string, row: number): Promise<{ row: Row; beside: Row[] }>;
  points(run: string, asked: Asked, x: string, y: string): Promise<Points>;
  groups(run: string, by: string, metric: string): Promise<Grouped>;
  download(run: string, asked: Asked, format: Exported): Promise<void>;
  compare(a: string, b: string): Promise<Compared>;
  live?(): Promise<{ live: Record<string, Live>; runs: Record<string, string> }>;
}
