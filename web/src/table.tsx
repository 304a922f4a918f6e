import type { ComponentChildren } from "preact";
import { bounds, cell } from "./format";
import { Plain } from "./text";
import type { Column, Table, TableRow } from "./types";

const MOST = 300;

// A scrollable region that also supports the keyboard.
export function Scroll({ label, tall = false, children }: { label: string; tall?: boolean; children: ComponentChildren }) {
  return <div class={tall ? "scroll tall" : "scroll"} tabIndex={0} role="region" aria-label={label}>{children}</div>;
}

// A table of a run, as the terminal shows it.
export function RunTable({ table, title = table.caption || table.name }: { table: Table; title?: string }) {
  const { fields, lines } = laid(table);
  return (
    <section class="card">
      {title && <h2>{title}</h2>}
      {table.reading && <p class="muted">{table.reading}</p>}
      <Scroll label={title || table.name}>
        <table class="plain">
          <thead>
            <tr>{fields.map(({ label, column }, i) => <th key={i} class={column.kind === "text" ? "" : "num"} scope="col">{label}</th>)}</tr>
          </thead>
          <tbody>
            {lines.slice(0, MOST).map((line, i) => (
              <tr key={i}>
                {fields.map(({ column, of }, j) => {
                  const row = of(line);
                  if (!row) return <td key={j} />;
                  return (
                    <td key={j} class={column.kind === "text" ? "" : "num"}>
                      {column.kind === "text" ? <Plain text={cell(column, row)} /> : cell(column, row)}
                      {column.mark && row[column.mark] ? <b> {String(row[column.mark])}</b> : null}
                      {bounds(column, row) && <small class="muted"> {bounds(column, row)}</small>}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {lines.length > MOST && <p class="muted">The first {MOST} of {lines.length.toLocaleString("en-US")} rows; tables.json has them all.</p>}
      {table.notes.map((note, i) => <p key={i} class="note"><Plain text={note} /></p>)}
    </section>
  );
}

// A line holds one row or, in a wide layout, several rows by the heading of their column.
type Line = Map<unknown, TableRow>;
interface Field { label: string; column: Column; of: (line: Line) => TableRow | undefined }

const first = (line: Line): TableRow | undefined => line.values().next().value;

// Lines and columns for display; src/assay/report/grid.py does the same for the terminal and gives the reasons.
function laid({ columns, rows, pivot }: Table): { fields: Field[]; lines: Line[] } {
  const nought = (column: Column): boolean => column.kind === "count" && rows.length > 0 && rows.every((row) => row[column.key] === 0);
  const shown = columns.filter((column) => !column.hidden && !nought(column));
  const field = (column: Column): Field => ({ label: column.label.trim() || column.key, column, of: first });
  const value = columns.find((column) => column.key === pivot?.value);
  if (!pivot || !value) return { fields: shown.map(field), lines: rows.map((row) => new Map([["", row]])) };
  const places = new Map<string, Line>();
  const times = new Map<string, number>();
  for (const row of rows) {
    const [index, above] = [row[pivot.index], row[pivot.columns]];
    const place = JSON.stringify([index, above]);
    const time = times.get(place) ?? 0;
    times.set(place, time + 1);
    const line = JSON.stringify([index, time]);
    places.set(line, (places.get(line) ?? new Map<unknown, TableRow>()).set(above, row));
  }
  const lines = [...places.values()];
  const same = (column: Column, some: Iterable<TableRow>): boolean => new Set([...some].map((row) => row[column.key])).size === 1;
  const beside = shown.filter((column) => column.key === pivot.index || (
    column.key !== pivot.columns && column.key !== pivot.value && ["text", "count"].includes(column.kind)
    && !(column.kind === "text" && same(column, rows)) && lines.every((line) => same(column, line.values()))));
  const across = [...new Set(rows.map((row) => row[pivot.columns]))].map((above): Field => ({ label: String(above), column: value, of: (line) => line.get(above) }));
  return { fields: [...beside.map(field), ...across], lines };
}
