import { useState } from "preact/hooks";
import { plural, time } from "./format";
import { link } from "./route";
import { Plain } from "./text";
import type { Head } from "./types";

export const home = (run: Head): string => (run.screens[0] ?? (run.kind === "items" ? "phenomena" : run.kind === "segments" ? "segments" : "tables"));

export function Runs({ runs }: { runs: Head[] }) {
  const [wanted, setWanted] = useState("");
  const shown = runs.filter((run) =>
    [run.name, run.title, run.verb, ...Object.keys(run.metrics), ...run.systems].join("\n").toLowerCase().includes(wanted.toLowerCase()));
  return (
    <main>
      <h1>Runs</h1>
      <div class="bar">
        <input type="search" aria-label="Search runs" placeholder="Search name, verb, metric, system" value={wanted}
          onInput={(event) => setWanted(event.currentTarget.value)} />
        <span class="muted" role="status">{plural(shown.length, "run")}</span>
      </div>
      <ul class="runs">
        {shown.map((run) => (
          <li key={run.key} class="card">
            <a class="runlink" href={link(home(run), run.key)}><Plain text={run.name} /></a>
            <p>
              <span class="tag">{run.verb || "unknown verb"}</span>{" "}
              {run.title && <Plain text={run.title} />} {run.lead && <span class="muted"> · <Plain text={run.lead} /></span>}
            </p>
            <p class="muted">
              {[run.rows ? plural(run.rows, run.kind === "items" ? "item" : "row") : "no rows",
                run.systems.length > 1 ? plural(run.systems.length, "system") : "",
                plural(Object.keys(run.metrics).length, "metric"), time(run.started),
                run.version ? `assay ${run.version}` : ""].filter(Boolean).join(" · ")}
            </p>
            {run.problems.map((problem, i) => <p key={i} class="problem">⚠ <Plain text={problem} /></p>)}
          </li>
        ))}
      </ul>
    </main>
  );
}
