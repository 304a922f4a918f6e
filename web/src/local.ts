import { asItem } from "./challenge";
import { condition } from "./expression";
import { grouped } from "./grouped";
import type { Asked, Compared, Detail, Exported, Grouped, Head, Points, Row, Source, Start, Value, Window } from "./types";

type Columns = Record<string, Value[]>;
interface Whole extends Start {
  details: Record<string, Detail>;
  rows: Record<string, Columns>;
  compared: Record<string, Compared | { error: string }>;
}

const SHOWN = 400;
const POINTS = 4000;
// Columns that are equal in rows of several systems for the same segment.
const SEGMENT = ["langpair", "segment", "src", "ref"];
const TEXTS = /^(src|mt|ref\d*|good|incorrect)$/;

// Data embedded in the page: the same answers as the server's, computed in the browser.
export class Local implements Source {
  private orders = new Map<string, number[]>();
  private constructor(private whole: Whole) {}

  static async open(packed: string): Promise<Local> {
    const bytes = Uint8Array.from(atob(packed.trim()), (sign) => sign.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Local(JSON.parse(await new Response(stream).text()) as Whole);
  }

  async start(): Promise<Start> {
    return this.whole;
  }

  async detail(run: string): Promise<Detail> {
    const found = this.whole.details[run];
    if (!found) throw new Error("This file does not contain the run.");
    return found;
  }

  async rows(run: string, asked: Asked, start: number, count: number): Promise<Window> {
    const order = this.order(run, asked);
    return { total: order.length, rows: order.slice(start, start + count).map((i) => this.one(run, i, SHOWN)) };
  }

  async row(run: string, row: number): Promise<{ row: Row; beside: Row[] }> {
    const columns = this.columns(run);
    const keys = SEGMENT.filter((name) => columns[name]).map((name) => columns[name]);
    const beside = columns.segment && columns.system
      ? columns.segment.flatMap((_, i) => (keys.every((column) => column[i] === column[row]) ? [i] : [])) : [row];
    return { row: this.one(run, row), beside: beside.map((i) => this.one(run, i)) };
  }

  async points(run: string, asked: Asked, x: string, y: string): Promise<Points> {
    const columns = this.columns(run);
    const there = this.order(run, asked).filter((i) => isNumber(columns[x][i]) && isNumber(columns[y][i]));
    const step = Math.max(1, Math.ceil(there.length / POINTS));
    const { systems } = this.head(run);
    const place = new Map<Value, number>(systems.map((name, i) => [name, i]));
    const points = there.filter((_, place) => place % step === 0)
      .map((i): Points["points"][number] => [i, columns[x][i] as number, columns[y][i] as number, place.get(columns.system?.[i] ?? "") ?? 0]);
    return { total: there.length, points, systems };
  }

  async groups(run: string, by: string, metric: string): Promise<Grouped> {
    return grouped(this.columns(run), by, metric);
  }

  async compare(a: string, b: string): Promise<Compared> {
    const found = this.whole.compared[`${a} ${b}`] ?? { error: a === b ? "These are the same run. Choose a different one." : "This file does not contain a comparison of these runs." };
    if ("error" in found) throw new Error(found.error);
    return found;
  }

  async download(run: string, asked: Asked, format: Exported): Promise<void> {
    const head = this.head(run);
    const columns = this.columns(run);
    const names = Object.keys(columns);
    const order = this.order(run, asked);
    const lines = format === "challenge"
      ? order.map((i) => asItem(this.one(run, i), head.kind)).filter((item) => item !== null).map((item) => JSON.stringify(item))
      : format === "jsonl"
      ? order.map((i) => JSON.stringify(Object.fromEntries(names.map((name) => [name, columns[name][i]]))))
      : [names.map(field).join(","), ...order.map((i) => names.map((name) => field(columns[name][i], name)).join(","))];
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([lines.map((line) => `${line}\n`).join("")], { type: "text/plain" }));
    link.download = `${head.name.replace(/[^A-Za-z0-9._-]+/g, "-")}.${format === "challenge" ? "challenge.jsonl" : format}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }

  private head(run: string): Head {
    return this.whole.runs.find((one) => one.key === run) as Head;
  }

  private columns(run: string): Columns {
    return this.whole.rows[run] ?? {};
  }

  private one(run: string, number: number, most = Infinity): Row {
    const row: Row = { "#": number };
    for (const [name, column] of Object.entries(this.columns(run))) {
      const value = column[number];
      row[name] = typeof value === "string" && value.length > most ? `${value.slice(0, most)}…` : value;
    }
    return row;
  }

  private order(run: string, asked: Asked): number[] {
    const key = JSON.stringify([run, asked]);
    let found = this.orders.get(key);
    if (!found) {
      found = this.chosen(this.columns(run), asked);
      this.orders.set(key, found);
      if (this.orders.size > 8) this.orders.delete(this.orders.keys().next().value as string);
    }
    return found;
  }

  private chosen(columns: Columns, asked: Asked): number[] {
    const names = Object.keys(columns);
    let kept = (columns[names[0]] ?? []).map((_, i) => i);
    if (asked.where.trim()) {
      const holds = condition(asked.where, columns);
      kept = kept.filter(holds);
    }
    if (asked.find) {
      const wanted = asked.find.toLowerCase();
      const texts = names.filter((name) => TEXTS.test(name)).map((name) => columns[name]);
      kept = kept.filter((i) => texts.some((column) => String(column[i] ?? "").toLowerCase().includes(wanted)));
    }
    if (!asked.sort) return asked.descending ? kept.reverse() : kept;
    const column = columns[asked.sort];
    if (!column) throw new Error(`Unknown column '${asked.sort}'.`);
    const sign = asked.descending ? -1 : 1;
    const compare = column.some((value) => typeof value === "string")
      ? (a: Value, b: Value) => sign * String(a).localeCompare(String(b))
      : (a: Value, b: Value) => sign * (Number(a) - Number(b));
    const there = kept.filter((i) => column[i] !== null).sort((a, b) => compare(column[a], column[b]));
    return [...there, ...kept.filter((i) => column[i] === null)];
  }
}

const isNumber = (value: Value): boolean => typeof value === "number";

// A cell of CSV; text that a spreadsheet would execute gets an apostrophe, as with --spreadsheet-safe.
function field(value: Value | string, name: string | number = ""): string {
  if (value === null || value === undefined) return "";
  let text = typeof value === "string" ? value
    : name === "flags" && Array.isArray(value) ? value.join(",") : typeof value === "object" ? JSON.stringify(value) : String(value);
  if (typeof value === "string" && /^ *[=+@\t\r\n＝＋－＠-]/.test(text)) text = `'${text}`;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
