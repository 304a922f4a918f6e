import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Detail, Flags, languages, references } from "./detail";
import type { Against } from "./detail";
import { makesPairs } from "./challenge";
import { Columns, metricsShown } from "./columns";
import { diff, near } from "./diff";
import { number, plural } from "./format";
import { Menu } from "./menu";
import { askedOf, go } from "./route";
import { Diffed, Marked, Plain } from "./text";
import type { Asked, Exported, Head, Row, Source, Span } from "./types";

const PAGE = 100;
const HIGH = 76;
const MOST_PIXELS = 8_000_000;
const EXPORTS: [Exported, string, string][] = [
  ["csv", "CSV", "for a spreadsheet"], ["jsonl", "JSONL", "for assay filter and score"], ["challenge", "Challenge set", "pairs for assay run"],
];

export function Segments({ source, run, head, at, grown = 0 }: {
  source: Source; run: string; head: Head; at: Record<string, string>; grown?: number;
}) {
  const asked = askedOf(at);
  const key = JSON.stringify([run, asked]);
  const pages = useRef(new Map<number, Row[]>());
  const [total, setTotal] = useState<number | null>(null);
  const [error, setError] = useState("");
  const [, redraw] = useState(0);
  const place = useRef(-1);
  const [first, setFirst] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const waiting = useRef(new Set<number>());
  const current = useRef(key);
  current.current = key;
  const set = (changes: Record<string, string>) => go("segments", run, { ...at, ...changes }, true);

  const refused = (reason: Error) => setError(reason.message);
  const load = (page: number) => {
    if (pages.current.has(page) || waiting.current.has(page)) return;
    waiting.current.add(page);
    const mine = key;
    source.rows(run, asked, page * PAGE, PAGE).then((found) => {
      if (current.current !== mine) return;
      pages.current.set(page, found.rows);
      setTotal(found.total);
      setError("");
      redraw((n) => n + 1);
    }, (reason: Error) => {
      if (current.current !== mine) return;
      setTotal(0);
      refused(reason);
    }).finally(() => waiting.current.delete(page));
  };

  useEffect(() => {
    pages.current = new Map();
    waiting.current = new Set();
    place.current = -1;
    setFirst(0);
    if (list.current) list.current.scrollTop = 0;
    load(0);
  }, [key]);

  // A running run gets more rows: load the visible pages again, at the same position.
  const before = useRef(grown);
  useEffect(() => {
    if (before.current === grown) return;
    before.current = grown;
    const seen = [...new Set([0, Math.floor(first / PAGE), Math.floor((first + 20) / PAGE)])];
    for (const page of seen) {
      pages.current.delete(page);
      waiting.current.delete(page);
      load(page);
    }
  }, [grown]);

  const height = Math.min((total ?? 0) * HIGH, MOST_PIXELS);
  const visible = Math.ceil((list.current?.clientHeight ?? 700) / HIGH) + 2;
  const last = Math.min(first + visible + 4, total ?? 0);
  for (let page = Math.floor(first / PAGE); page <= Math.floor(Math.max(last - 1, 0) / PAGE) && total; page++) load(page);
  const rowAt = (i: number): Row | undefined => pages.current.get(Math.floor(i / PAGE))?.[i % PAGE];

  // If a list is higher than a browser can scroll, its position represents a share of the rows.
  const scrolled = () => {
    const box = list.current;
    if (!box || total === null) return;
    const most = Math.max(1, height - box.clientHeight);
    const exact = total * HIGH > MOST_PIXELS ? (box.scrollTop / most) * Math.max(0, total - visible + 2) : box.scrollTop / HIGH;
    setFirst(Math.max(0, Math.min(Math.floor(exact), Math.max(0, total - 1))));
  };
  // The index of the open row in this order. For a view from an address, search the loaded rows.
  const here = (): number => {
    if (place.current < 0 && at.row) {
      if (!asked.where && !asked.find && !asked.sort) place.current = Number(at.row);
      for (const [page, rows] of pages.current) {
        const found = rows.findIndex((row) => String(row["#"]) === at.row);
        if (found >= 0) place.current = page * PAGE + found;
      }
    }
    return place.current;
  };
  const step = (by: number) => {
    if (!total) return;
    const next = Math.max(0, Math.min(here() + by, total - 1));
    place.current = next;
    const row = rowAt(next);
    if (row) set({ row: String(row["#"]) });
    bring(next);
  };
  const bring = (next: number) => {
    const box = list.current;
    if (!total) return;
    if (box && total * HIGH <= MOST_PIXELS) {
      if (next * HIGH < box.scrollTop) box.scrollTop = next * HIGH;
      else if ((next + 2) * HIGH > box.scrollTop + box.clientHeight) box.scrollTop = (next + 2) * HIGH - box.clientHeight;
    } else if (box && (next < first || next >= first + visible - 3)) {
      box.scrollTop = (next / total) * (height - box.clientHeight);
    }
  };
  const known = total !== null;
  useEffect(() => { if (known && here() > 0) bring(here()); }, [known, key]);

  useLayoutEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
      if (event.key === "j" || (event.key === "ArrowDown" && document.activeElement === list.current)) step(1);
      else if (event.key === "k" || (event.key === "ArrowUp" && document.activeElement === list.current)) step(-1);
      else if (event.key === "/") document.getElementById("where")?.focus();
      else if (event.key === "Escape") set({ row: "" });
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  });

  const against = (at.against || (head.columns.includes("spans") ? "spans" : "reference")) as Against;
  const open = at.row !== undefined && at.row !== "";
  const columns = useMemo(() => shownColumns(head, open, metricsShown(head, at)), [head, open, at.metrics, at.sort]);
  const width = columns.reduce((sum, column) => sum + WIDTHS[column.kind], 0);
  return (
    <main class="wide">
      <h1>{head.kind === "items" ? "Items" : "Segments"}</h1>
      <Filter asked={asked} error={error} set={set} />
      <div class="bar">
        <span role="status" class="total">{error ? "" : total === null ? "…" : `${plural(total, "row")}${total < head.rows ? ` of ${head.rows.toLocaleString("en-US")}` : ""}`}</span>
        {(asked.where || asked.find || asked.sort) && <button class="quiet" onClick={() => go("segments", run, {}, true)}>Clear</button>}
        <Columns head={head} at={at} set={set} />
        <Menu name="export" label="Export">
          {EXPORTS.filter(([format]) => format !== "challenge" || makesPairs(head.columns)).map(([format, name, what]) => (
            <p key={format}><button class="quiet" onClick={() => source.download(run, asked, format).catch(refused)}>{name}</button> <span class="muted">{what}</span></p>
          ))}
        </Menu>
      </div>
      <div class={open ? "split open" : "split"}>
        <div class="list" ref={list} tabIndex={0} role="region" aria-label="Rows" onScroll={scrolled}>
          <table class="rows" aria-rowcount={(total ?? 0) + 1} style={{ minWidth: `${width}rem` }}>
            <Heading columns={columns} head={head} asked={asked} set={set} />
            <tbody>
              <Space high={total && total * HIGH > MOST_PIXELS ? Math.min(list.current?.scrollTop ?? 0, height - (last - first) * HIGH) : first * HIGH} span={columns.length} />
              {Array.from({ length: Math.max(0, last - first) }, (_, i) => first + i).map((i) => {
                const row = rowAt(i);
                return row ? (
                  <Line key={i} row={row} columns={columns} head={head} against={against} chosen={at.row === String(row["#"])} index={i}
                    choose={() => { place.current = i; set({ row: String(row["#"]) }); }} />
                ) : <tr key={i} class="loading"><td colSpan={columns.length}>…</td></tr>;
              })}
              <Space high={Math.max(0, height - last * HIGH)} span={columns.length} />
            </tbody>
          </table>
          {total === 0 && !error && <p class="muted empty">{asked.where || asked.find ? "No rows match." : "This run has no rows."}</p>}
        </div>
        {open && <Detail source={source} run={run} head={head} row={Number(at.row)} against={against} choose={(one) => set({ against: one })} step={step} close={() => set({ row: "" })} />}
      </div>
    </main>
  );
}

// Whether keys belong to a field or a dialog instead of the page.
export const typing = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || target.closest("dialog") !== null);

function Space({ high, span }: { high: number; span: number }) {
  return high > 0 ? <tr class="space" aria-hidden="true"><td colSpan={span} style={{ height: `${high}px` }} /></tr> : null;
}

function Filter({ asked, error, set }: { asked: Asked; error: string; set: (changes: Record<string, string>) => void }) {
  const [where, setWhere] = useState(asked.where);
  const [find, setFind] = useState(asked.find);
  useLayoutEffect(() => { setWhere(asked.where); setFind(asked.find); }, [asked.where, asked.find]);
  return (
    <form class="filter" onSubmit={(event) => { event.preventDefault(); set({ where, find, row: "" }); }}>
      <input id="where" type="text" spellcheck={false} autocomplete="off" aria-label="Filter expression" aria-invalid={error !== ""}
        aria-describedby="refused" placeholder='Filter, for example: chrf < 30 and langpair == "en-de"' value={where}
        onInput={(event) => setWhere(event.currentTarget.value)} />
      <input id="find" type="search" aria-label="Find text" placeholder="Find text" value={find} onInput={(event) => setFind(event.currentTarget.value)} />
      <button type="submit">Filter</button>
      <p id="refused" class="problem" role="alert">{error}</p>
    </form>
  );
}

// A pair shows both scores and the result; on narrow screens, only the result is shown.
interface Shown { key: string; label: string; kind: "text" | "score" | "pair" | "verdict" | "label" | "count" }

const NARROW = matchMedia("(max-width: 600px)").matches;
const WIDTHS: Record<Shown["kind"], number> = NARROW
  ? { text: 11, score: 4.6, pair: 8.5, verdict: 4.6, label: 5.6, count: 3 }
  : { text: 11, score: 5, pair: 8.5, verdict: 4.2, label: 7.8, count: 3.5 };

// Next to an open row, and on a phone, the list shows only the columns that distinguish rows.
function shownColumns(head: Head, open: boolean, metrics: string[]): Shown[] {
  const has = (name: string): boolean => head.columns.includes(name) && !((open || NARROW) && (name === "src" || name === "ref"));
  const found: Shown[] = [];
  if (head.kind === "items") {
    if (!NARROW) found.push({ key: "phenomenon", label: "phenomenon", kind: "label" });
    for (const key of ["src", "good", "incorrect"]) if (has(key)) found.push({ key, label: { src: "source" }[key] ?? key, kind: "text" });
    for (const name of metrics) {
      const facts = head.metrics[name];
      if (has(`${name} good`)) found.push({ key: `${name} good`, label: facts.label + (facts.higher_is_better ? "" : " ↓"), kind: open || NARROW ? "verdict" : "pair" });
    }
    return found;
  }
  if (has("system") && head.systems.length > 1) found.push({ key: "system", label: "system", kind: "label" });
  if (has("segment") && !NARROW) found.push({ key: "segment", label: "№", kind: "count" });
  for (const [key, label] of [["src", "source"], ["mt", "translation"], ["ref", "reference"]]) if (has(key)) found.push({ key, label, kind: "text" });
  for (const name of metrics) {
    const facts = head.metrics[name];
    if (has(name)) found.push({ key: name, label: facts.label + (facts.higher_is_better ? "" : " ↓"), kind: "score" });
  }
  return found;
}

function Heading({ columns, head, asked, set }: { columns: Shown[]; head: Head; asked: Asked; set: (changes: Record<string, string>) => void }) {
  const sort = (key: string) => {
    const worst = key in head.metrics && !head.metrics[key].higher_is_better; // show the worst rows first
    if (asked.sort !== key) set({ sort: key, descending: worst ? "1" : "" });
    else if (asked.descending === worst) set({ descending: worst ? "" : "1" });
    else set({ sort: "", descending: "" });
  };
  return (
    <thead>
      <tr>
        {columns.map((column) => (
          <th key={column.key} class={column.kind} style={column.kind === "text" ? {} : { width: `${WIDTHS[column.kind]}rem` }} scope="col" aria-sort={asked.sort === column.key ? (asked.descending ? "descending" : "ascending") : undefined}>
            <button class="sort" onClick={() => sort(column.key)} title={`Sort by ${column.key}`}>
              <Plain text={column.label} />{asked.sort === column.key ? (asked.descending ? " ▼" : " ▲") : ""}
            </button>
          </th>
        ))}
      </tr>
    </thead>
  );
}

function Line({ row, columns, head, against, chosen, index, choose }: {
  row: Row; columns: Shown[]; head: Head; against: Against; chosen: boolean; index: number; choose: () => void;
}) {
  const [from, to] = languages(row);
  const pair = head.kind === "items" ? near(diff(String(row.good ?? ""), String(row.incorrect ?? ""), to)) : null;
  const reference = references(row)[0]?.[1];
  return (
    <tr class={chosen ? "chosen" : ""} data-row={row["#"]} aria-rowindex={index + 2} aria-selected={chosen} onClick={choose}>
      {columns.map(({ key, kind }) => {
        const value = row[key];
        if (kind === "score") return <td key={key} class="score">{number(value, head.metrics[key]?.decimals)}</td>;
        if (kind === "pair" || kind === "verdict") return <td key={key} class="score"><Scored row={row} head={head} name={key.slice(0, -" good".length)} whole={kind === "pair"} /></td>;
        if (kind === "label" || kind === "count") return <td key={key} class="label"><div class="clip"><Plain text={value} /></div></td>;
        const text = String(value ?? "");
        return (
          <td key={key} class="text"><div class="clip">
            {key === "good" && pair ? <Diffed pieces={pair[0]} lang={to} kind="added" />
              : key === "incorrect" && pair ? <Diffed pieces={pair[1]} lang={to} kind="removed" />
                : key === "mt" && against === "spans" && Array.isArray(row.spans) ? <Marked text={text} spans={row.spans as Span[]} lang={to} />
                  : key === "mt" && against === "reference" && reference ? <Diffed pieces={diff(reference, text, to)[1]} lang={to} kind="added" />
                    : <Plain text={text} lang={key === "src" ? from : to} />}
            {key === "mt" && <Flags row={row} />}
          </div></td>
        );
      })}
    </tr>
  );
}

// The scores of a pair, and whether the metric ranks the good translation first.
function Scored({ row, head, name, whole }: { row: Row; head: Head; name: string; whole: boolean }) {
  const facts = head.metrics[name];
  const [good, incorrect] = [row[`${name} good`], row[`${name} incorrect`]];
  if (typeof good !== "number" || typeof incorrect !== "number") return <>–</>;
  const right = facts.higher_is_better ? good > incorrect : good < incorrect;
  return <>{whole && `${number(good, facts.decimals)} / ${number(incorrect, facts.decimals)} `}<span class={right ? "right" : "wrong"} title={right ? "correct" : "failed"}>{right ? "✓" : "✗"}</span></>;
}
