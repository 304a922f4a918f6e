import { useEffect, useState } from "preact/hooks";
import { languages } from "./detail";
import { diff } from "./diff";
import { number, plural } from "./format";
import { go, link } from "./route";
import { RunTable } from "./table";
import { Diffed, Plain } from "./text";
import type { Compared, Head, Moved, Row, Source } from "./types";

// Comparison of two runs of the same job: differences, and the rows with the largest changes.
export function Compare({ source, runs, at }: { source: Source; runs: Head[]; at: Record<string, string> }) {
  const [found, setFound] = useState<Compared | null>(null);
  const [error, setError] = useState("");
  const { a = "", b = "" } = at;
  useEffect(() => {
    setFound(null);
    setError("");
    source.compare(a, b).then(setFound, (reason: Error) => setError(reason.message));
  }, [a, b]);
  const name = (key: string): string => runs.find((run) => run.key === key)?.name ?? key;
  const metrics = found ? Object.keys(found.moved) : [];
  const metric = metrics.includes(at.metric) ? at.metric : metrics[0];
  return (
    <main>
      <h1>Comparison of two runs</h1>
      <div class="bar">
        <span><Plain text={name(a)} /> → <b><Plain text={name(b)} /></b></span>
        <button class="quiet" onClick={() => go("compare", "", { ...at, a: b, b: a }, true)}>Swap</button>
        <a href={link("runs")}>Select other runs</a>
      </div>
      {error && <p class="problem" role="alert"><Plain text={error} /></p>}
      {!found && !error && <p class="muted" aria-busy="true">Comparing …</p>}
      {found && (
        <>
          {found.notes.map((note, i) => <p key={i} class="problem">⚠ <Plain text={note} /></p>)}
          {found.tables.map((table) => <RunTable key={table.name} table={table} />)}
          {metrics.length > 1 && (
            <div class="bar">
              <label>Changes by{" "}
                <select value={metric} onChange={(event) => go("compare", "", { ...at, metric: event.currentTarget.value }, true)}>
                  {metrics.map((one) => <option key={one} value={one}>{runs.find((run) => run.key === b)?.metrics[one]?.label ?? one}</option>)}
                </select>
              </label>
            </div>
          )}
          {metric && (["worse", "better"] as const).map((way) => <MovedRows key={way} way={way} moved={found.moved[metric][way]} found={found} />)}
        </>
      )}
    </main>
  );
}

function MovedRows({ way, moved, found }: { way: "better" | "worse"; moved: Moved[]; found: Compared }) {
  const noun = found.kind === "items" ? "item" : "segment";
  return (
    <section class="card">
      <h2>{way === "worse" ? "Worse" : "Better"}</h2>
      {moved.length === 0 && <p class="muted">No {noun} became {way}.</p>}
      {moved.length > 0 && <p class="muted">{found.kind === "items" ? `${plural(moved.length, noun)} with a different result` : `The ${plural(moved.length, noun)} with the largest changes`}. Click a number to open the row.</p>}
      {moved.map((one) => (
        <div key={`${one.a["#"]}-${one.b["#"]}`} class="moved">
          <a href={link("segments", found.keys[1], { row: String(one.b["#"]) })} title={`${way} by ${number(Math.abs(one.gain), 2)}`}>
            {found.kind === "items" ? (way === "better" ? "✓" : "✗") : `${one.gain > 0 ? "+" : "−"}${number(Math.abs(one.gain), 2)}`}
          </a>
          {found.kind === "items" ? <Pair row={one.b} /> : <Versions {...one} />}
        </div>
      ))}
    </section>
  );
}

function Versions({ a, b }: { a: Row; b: Row }) {
  const [from, to] = languages(b);
  const [before, after] = diff(String(a.mt ?? ""), String(b.mt ?? ""), to);
  return (
    <div>
      {b.src != null && <p class="muted"><Plain text={b.src} lang={from} /></p>}
      {a.mt === b.mt ? <p><Plain text={b.mt} lang={to} /> <span class="muted">(same text)</span></p> : (
        <>
          <p><Diffed pieces={before} lang={to} kind="removed" /></p>
          <p><Diffed pieces={after} lang={to} kind="added" /></p>
        </>
      )}
    </div>
  );
}

function Pair({ row }: { row: Row }) {
  const to = languages(row)[1];
  const [good, incorrect] = diff(String(row.good ?? ""), String(row.incorrect ?? ""), to);
  return (
    <div>
      <p class="muted"><Plain text={row.phenomenon} /></p>
      <p><Diffed pieces={good} lang={to} kind="added" /></p>
      <p><Diffed pieces={incorrect} lang={to} kind="removed" /></p>
    </div>
  );
}
