import { bounds, cell } from "./format";
import { Plain } from "./text";
import type { Table } from "./types";

const MOST = 300;

// A table of a run, as the terminal shows it.
export function RunTable({ table }: { table: Table }) {
  const columns = table.columns.filter((column) => !column.hidden);
  const title = table.caption || table.name;
  return (
    <section class="card">
      <h2>{title}</h2>
      {table.reading && <p class="muted">{table.reading}</p>}
      <div class="scroll" tabIndex={0} role="region" aria-label={title}>
        <table class="plain">
          <thead>
            <tr>{columns.map((column) => <th key={column.key} class={column.kind === "text" ? "" : "num"} scope="col">{column.label.trim() || column.key}</th>)}</tr>
          </thead>
          <tbody>
            {table.rows.slice(0, MOST).map((row, i) => (
              <tr key={i}>
                {columns.map((column) => (
                  <td key={column.key} class={column.kind === "text" ? "" : "num"}>
                    {column.kind === "text" ? <Plain text={cell(column, row)} /> : cell(column, row)}
                    {column.mark && row[column.mark] ? <b> {String(row[column.mark])}</b> : null}
                    {bounds(column, row) && <small class="muted"> {bounds(column, row)}</small>}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {table.rows.length > MOST && <p class="muted">The first {MOST} of {table.rows.length} rows; tables.json has them all.</p>}
      {table.notes.map((note, i) => <p key={i} class="note"><Plain text={note} /></p>)}
    </section>
  );
}
