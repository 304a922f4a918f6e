import { useEffect, useState } from "preact/hooks";
import { diff } from "./diff";
import { number } from "./format";
import { Diffed, Marked, Plain } from "./text";
import type { Head, Row, Source, Span } from "./types";

export type Against = "spans" | "reference" | "first" | "plain";

export function languages(row: Row): [string, string] {
  const [from = "", to = ""] = String(row.langpair ?? "").split("-", 2);
  return [from, to];
}

export const references = (row: Row): [string, string][] =>
  Object.entries(row).filter(([name, value]) => /^ref\d*$/.test(name) && typeof value === "string") as [string, string][];

// One row in full: texts, scores, and translations of the same segment by other systems.
export function Detail({ source, run, head, row, against, choose, step, close }: {
  source: Source; run: string; head: Head; row: number; against: Against; choose: (against: Against) => void; step: (by: number) => void; close: () => void;
}) {
  const [found, setFound] = useState<{ row: Row; beside: Row[] } | null>(null);
  const [error, setError] = useState("");
  useEffect(() => {
    let current = true;
    source.row(run, row).then(
      (answer) => { if (current) { setFound(answer); setError(""); } },
      (reason: Error) => current && setError(reason.message));
    return () => { current = false; };
  }, [run, row]);
  if (error) return <aside class="detail" aria-label="Segment"><p class="problem">{error}</p></aside>;
  if (!found) return <aside class="detail" aria-label="Segment" />;
  const [from, to] = languages(found.row);
  return (
    <aside class="detail" aria-label="Segment">
      <div class="bar">
        <h2>{head.kind === "items" ? <Plain text={found.row.phenomenon} /> : <>Segment {String(found.row.segment ?? found.row["#"] + 1)}</>}</h2>
        <button class="quiet" onClick={() => step(-1)} aria-label="Previous row" title="k">‹</button>
        <button class="quiet" onClick={() => step(1)} aria-label="Next row" title="j">›</button>
        <button class="quiet" onClick={close} aria-label="Close" title="Esc">✕</button>
      </div>
      <p class="muted"><Plain text={["id", "doc", "langpair", "category", "severity"].map((name) => found.row[name]).filter(Boolean).join(" · ")} /></p>
      <dl>
        {found.row.src != null && <><dt>source</dt><dd><Plain text={found.row.src} lang={from} /></dd></>}
        {references(found.row).map(([name, text]) => <><dt>{name === "ref" ? "reference" : `reference ${name.slice(3)}`}</dt><dd><Plain text={text} lang={to} /></dd></>)}
      </dl>
      {head.kind === "items" ? <Pair row={found.row} head={head} to={to} /> : (
        <>
          <div class="bar" role="group" aria-label="What is marked">
            {(["spans", "reference", "first", "plain"] as Against[]).filter((one) => markable(one, head)).map((one) => (
              <button key={one} aria-pressed={against === one} class={against === one ? "on" : "quiet"} onClick={() => choose(one)}>{SAID[one]}</button>
            ))}
          </div>
          {found.beside.map((one) => <Translation key={one["#"]} row={one} first={found.beside[0]} chosen={one["#"] === row} {...{ head, against, to }} />)}
        </>
      )}
    </aside>
  );
}

const markable = (one: Against, head: Head): boolean =>
  one === "spans" ? head.columns.includes("spans") : one === "reference" ? head.columns.includes("ref") : one !== "first" || head.systems.length > 1;

const SAID: Record<Against, string> = { spans: "errors", reference: "differences from the reference", first: "differences from the first system", plain: "nothing" };

function Translation({ row, first, chosen, head, against, to }: {
  row: Row; first: Row; chosen: boolean; head: Head; against: Against; to: string;
}) {
  const text = String(row.mt ?? "");
  const other = against === "reference" ? row.ref : against === "first" && row["#"] !== first["#"] ? first.mt : null;
  return (
    <div class={chosen ? "translation chosen" : "translation"}>
      {row.system ? <h3><Plain text={row.system} /></h3> : null}
      <p>
        {typeof other === "string" ? <Diffed pieces={diff(other, text, to)[1]} lang={to} kind="added" />
          : against === "spans" && Array.isArray(row.spans) ? <Marked text={text} spans={row.spans as Span[]} lang={to} />
            : <Plain text={text} lang={to} />}
      </p>
      {typeof other === "string" && (
        <p class="muted">missing: <Diffed pieces={diff(other, text, to)[0].filter((piece) => piece.changed && piece.text.trim()).map((piece) => ({ ...piece, text: `${piece.text} ` }))} lang={to} kind="removed" /></p>
      )}
      <p class="scores">
        {Object.entries(head.metrics).filter(([name]) => row[name] !== undefined).map(([name, facts]) => (
          <span key={name}><Plain text={facts.label} /> <b>{number(row[name], facts.decimals)}</b></span>
        ))}
      </p>
      <Flags row={row} />
    </div>
  );
}

export function Flags({ row }: { row: Row }) {
  const flags = Array.isArray(row.flags) ? (row.flags as string[]) : typeof row.flags === "string" && row.flags ? row.flags.split(",") : [];
  return flags.length ? <p>{flags.map((flag) => <span key={flag} class="tag warn">⚠ {String(flag).replaceAll("_", " ")}</span>)}</p> : null;
}

function Pair({ row, head, to }: { row: Row; head: Head; to: string }) {
  const [good, incorrect] = diff(String(row.good ?? ""), String(row.incorrect ?? ""), to);
  return (
    <>
      {([["good", good, "added"], ["incorrect", incorrect, "removed"]] as const).map(([side, pieces, kind]) => (
        <div key={side} class="translation">
          <h3>{side}</h3>
          <p><Diffed pieces={pieces} lang={to} kind={kind} /></p>
        </div>
      ))}
      <table class="plain">
        <thead><tr><th scope="col">metric</th><th scope="col" class="num">good</th><th scope="col" class="num">incorrect</th><th scope="col">result</th></tr></thead>
        <tbody>
          {Object.entries(head.metrics).map(([name, facts]) => {
            const [a, b] = [row[`${name} good`], row[`${name} incorrect`]];
            const right = typeof a === "number" && typeof b === "number" ? (facts.higher_is_better ? a > b : a < b) : null;
            return (
              <tr key={name}>
                <td><Plain text={facts.label} />{facts.higher_is_better ? "" : " ↓"}</td>
                <td class="num">{number(a, facts.decimals + 1)}</td><td class="num">{number(b, facts.decimals + 1)}</td>
                <td>{right === null ? "not scored" : right ? "✓ correct" : a === b ? "✗ tie" : "✗ incorrect"}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </>
  );
}
