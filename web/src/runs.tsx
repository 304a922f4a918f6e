import { useState } from "preact/hooks";
import { plural, time } from "./format";
import { Progress } from "./live";
import { link } from "./route";
import { Plain } from "./text";
import type { Head, Live } from "./types";

const FEW = 4;

export const home = (run: Head): string => (run.screens[0] ?? (run.kind === "items" ? "phenomena" : run.kind === "segments" ? "segments" : "tables"));

// The title of a run, unless it only repeats the verb ("assay score").
export const title = (run: Head): string => (run.title === `assay ${run.verb}` ? "" : run.title);

function facts(run: Head, underWay: boolean): string {
  const metrics = Object.keys(run.metrics).map((name) => run.metrics[name].label || name);
  return [
    run.rows ? plural(run.rows, run.kind === "items" ? "item" : "row") : underWay ? "" : "no rows",
    run.systems.length > 1 ? plural(run.systems.length, "system") : "",
    run.lead ? "" : metrics.length > FEW ? plural(metrics.length, "metric") : metrics.join(", "),
    time(run.started), run.version ? `assay ${run.version}` : "",
  ].filter(Boolean).join(" · ");
}

export function Runs({ runs, live }: { runs: Head[]; live: Record<string, Live> }) {
  const [wanted, setWanted] = useState("");
  const [chosen, setChosen] = useState<string[]>([]);
  const choose = (key: string) => setChosen((old) => (old.includes(key) ? old.filter((one) => one !== key) : [...old, key].slice(-2)));
  // The older run comes first, so that the comparison shows what the newer one changed.
  const pair = chosen.map((key) => runs.find((run) => run.key === key)).filter((run) => run !== undefined)
    .sort((a, b) => (a.started ?? "").localeCompare(b.started ?? "") || a.name.localeCompare(b.name));
  const shown = runs.filter((run) =>
    [run.name, run.title, run.verb, ...Object.keys(run.metrics), ...run.systems].join("\n").toLowerCase().includes(wanted.toLowerCase()));
  return (
    <main>
      <h1>Runs</h1>
      <div class="bar">
        <input type="search" aria-label="Search runs" placeholder="Search name, verb, metric, system" value={wanted}
          onInput={(event) => setWanted(event.currentTarget.value)} />
        <span class="muted" role="status">{plural(shown.length, "run")}</span>
        {pair.length === 2 ? <a id="compare" href={link("compare", "", { a: pair[0].key, b: pair[1].key })}>Compare <Plain text={pair[0].name} /> and <Plain text={pair[1].name} /></a>
          : runs.length > 1 && <span class="muted">Select two runs of the same job to compare them.</span>}
      </div>
      <ul class="runs">
        {shown.map((run) => (
          <li key={run.key} class="card">
            {runs.length > 1 && <input type="checkbox" class="choose" aria-label={`Compare ${run.name}`} checked={chosen.includes(run.key)} onChange={() => choose(run.key)} />}
            <a class="runlink" href={link(home(run), run.key)}><Plain text={run.name} /></a>{" "}
            <span class="tag">{run.verb || "unknown verb"}</span>
            {title(run) && <Plain text={title(run)} />}{run.lead && <span class="muted"> · <Plain text={run.lead} /></span>}
            <p class="muted">{facts(run, live[run.key] !== undefined)}</p>
            {live[run.key] && <Progress live={live[run.key]} />}
            {run.problems.map((problem, i) => <p key={i} class="problem">⚠ <Plain text={problem} /></p>)}
          </li>
        ))}
      </ul>
    </main>
  );
}
