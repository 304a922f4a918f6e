import { useEffect, useState } from "preact/hooks";
import { number } from "./format";
import { go, link } from "./route";
import { Scroll } from "./table";
import { Plain } from "./text";
import type { Detail, Grouped, Source } from "./types";

const MOST = 100;
const FEW = 30;

// Student's t for a central 95%: tabulated for one to three degrees of freedom, then the Cornish-Fisher expansion (accurate to 0.1%).
export function student(df: number): number {
  const exact = [12.7062, 4.3027, 3.1824];
  if (df <= exact.length) return exact[df - 1];
  const z = 1.959964;
  return z + (z ** 3 + z) / (4 * df) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * df ** 2) + (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / (384 * df ** 3);
}

// Mean segment scores of systems by language, domain, document, length or another column.
export function Groups({ detail, source, run, at }: { detail: Detail; source: Source; run: string; at: Record<string, string> }) {
  const metrics = Object.keys(detail.distributions);
  const by = detail.groupings.find((one) => one.key === at.by) ?? detail.groupings[0];
  const metric = metrics.includes(at.of) ? at.of : metrics[0];
  const [found, setFound] = useState<Grouped | null>(null);
  const [error, setError] = useState("");
  useEffect(() => {
    let current = true;
    setFound(null);
    setError("");
    source.groups(run, by.key, metric).then((groups) => current && setFound(groups), (reason: Error) => current && setError(reason.message));
    return () => { current = false; };
  }, [run, by.key, metric]);
  const facts = detail.head.metrics[metric];
  const set = (changed: Record<string, string>) => go("systems", run, { ...at, ...changed }, true);
  const mean = (cells: Grouped["groups"][number]["cells"]): number => {
    const all = Object.values(cells);
    return all.reduce((sum, [n, value]) => sum + n * value, 0) / all.reduce((sum, [n]) => sum + n, 0);
  };
  const many = (found?.groups.length ?? 0) > FEW;
  const sign = facts?.higher_is_better === false ? -1 : 1;
  const order = found ? (many ? [...found.groups].sort((a, b) => sign * (mean(a.cells) - mean(b.cells))) : found.groups) : [];
  const systems = found?.systems ?? [];
  return (
    <section class="card">
      <div class="bar">
        <h2>By group</h2>
        <label>By <select id="by" value={by.key} onChange={(event) => set({ by: event.currentTarget.value })}>
          {detail.groupings.map((one) => <option key={one.key} value={one.key}>{one.label} ({one.groups})</option>)}
        </select></label>
        <label>Metric <select value={metric} onChange={(event) => set({ of: event.currentTarget.value })}>
          {metrics.map((name) => <option key={name} value={name}>{detail.head.metrics[name]?.label ?? name}</option>)}
        </select></label>
      </div>
      <p class="muted">
        Mean of segment scores with its 95% interval (Student's t, segments taken as independent){facts?.higher_is_better === false ? ", lower is better" : ""}.
        {many ? " The worst groups first." : ""} A group leads to its segments.
      </p>
      {error && <p class="problem">{error}</p>}
      {!found && !error ? <p class="muted" aria-busy="true">Loading …</p> : (
        <Scroll label={`Scores by ${by.label}`}>
          <table class="plain groups">
            <thead><tr><th scope="col">{by.label}</th>{systems.map((system) => <th key={system} scope="col" class="num"><Plain text={system || "all"} /></th>)}</tr></thead>
            <tbody>
              {order.slice(0, MOST).map((group) => (
                <tr key={group.name}>
                  <th scope="row"><a href={link("segments", run, { where: group.where })}><Plain text={group.name} /></a></th>
                  {systems.map((system) => {
                    const cell = group.cells[system];
                    if (!cell) return <td key={system} class="num">–</td>;
                    const [n, value, sd] = cell;
                    const half = sd === null ? null : (student(n - 1) * sd) / Math.sqrt(n);
                    return (
                      <td key={system} class="num" title={`${n.toLocaleString("en-US")} segments`}>
                        {number(value, facts?.decimals ?? 2)} <small class="muted">{half === null ? "" : `±${half.toFixed(facts?.decimals ?? 2)}`}<span class="of"> · n {n.toLocaleString("en-US")}</span></small>
                      </td>
                    );
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
      {order.length > MOST && <p class="muted">The worst {MOST} of {order.length.toLocaleString("en-US")} groups.</p>}
    </section>
  );
}
