import { quoted } from "./expression";
import { fixed } from "./format";
import { colours, ROOMY } from "./heat";
import { go } from "./route";
import { Thresholds } from "./thresholds";
import { RunTable, Scroll } from "./table";
import { Plain } from "./text";
import type { Detail, Start, Table } from "./types";

const BESIDE = ["rule", "decisions", "summary", "errors"];

// Breakdown rates by error type and task, and the effect of a threshold: rows used, sent to review and rejected.
export function Decisions({ detail, start, run, at }: { detail: Detail; start: Start; run: string; at: Record<string, string> }) {
  const set = (changed: Record<string, string>) => go("decisions", run, { ...at, ...changed }, true);
  const named = new Map(detail.tables.map((table) => [table.name, table]));
  const matrix = named.get("matrix");
  const sweeps = detail.deciding?.sweeps ?? [];
  return (
    <main>
      <h1>Breakdown and decisions</h1>
      {sweeps.length > 0 ? <Thresholds sweeps={sweeps} goal={detail.deciding?.goal ?? ""} {...{ detail, start, run, at, set }} />
        : <p class="muted">This run has no stored thresholds. Run the command again to get them.</p>}
      {matrix && <Matrix table={matrix} {...{ detail, start, run }} />}
      {BESIDE.map((name) => named.get(name)).filter((table): table is Table => !!table).map((table) => <RunTable key={table.name} table={table} />)}
    </main>
  );
}

function Matrix({ table, detail, start, run }: { table: Table; detail: Detail; start: Start; run: string }) {
  const rows = table.rows as { error_type: string; task: string; n: number; breakdowns: number; rate: number | null; rate_low: number | null; rate_high: number | null }[];
  const tasks = [...new Set(rows.map((row) => row.task))];
  const kinds = [...new Set(rows.map((row) => row.error_type))];
  const cell = new Map(rows.map((row) => [`${row.error_type}\0${row.task}`, row]));
  const linked = detail.head.columns.includes("error_type");
  const percent = (value: number | null): string => (value === null ? "–" : fixed(100 * value, 0));
  return (
    <section class="card">
      <h2>{table.caption}</h2>
      <p class="muted">{table.reading} 95% intervals (Wilson).{linked ? " Select a cell to see the translations that broke down." : ""}</p>
      <Scroll label="Heat map of error types and tasks">
        <table class={tasks.length <= ROOMY ? "heat roomy" : "heat"}>
          <thead><tr><th scope="col">error type</th>{tasks.map((task) => <th key={task} scope="col"><Plain text={task} /></th>)}</tr></thead>
          <tbody>
            {kinds.map((kind) => (
              <tr key={kind}>
                <th scope="row"><Plain text={kind} /></th>
                {tasks.map((task) => {
                  const one = cell.get(`${kind}\0${task}`);
                  if (!one || !one.n || one.rate === null) return <td key={task} class="cell none">–</td>;
                  const several = detail.head.columns.includes("task") && tasks.length > 1;
                  return (
                    <td key={task} class="cell">
                      <button disabled={!linked || !one.breakdowns} style={colours(0.5 - one.rate / 2, start.heat)} data-n={one.n} data-breakdowns={one.breakdowns}
                        title={`${one.breakdowns} of ${one.n} broke down; 95% interval ${percent(one.rate_low)}–${percent(one.rate_high)}`}
                        onClick={() => go("segments", run, { where: `error_type == ${quoted(kind)}${several ? ` and task == ${quoted(task)}` : ""} and outcome == "breakdown"` })}>
                        <span class="unseen">{kind}, {task}: </span>{fixed(100 * one.rate, 1)}
                        <small>{percent(one.rate_low)}–{percent(one.rate_high)}<span class="of"> · {one.n.toLocaleString("en-US")}</span></small>
                      </button>
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {table.notes.map((note, i) => <p key={i} class="note"><Plain text={note} /></p>)}
    </section>
  );
}
