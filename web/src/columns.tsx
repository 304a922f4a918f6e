import { useState } from "preact/hooks";
import { Menu } from "./menu";
import { Plain } from "./text";
import type { Head } from "./types";

// A table with hundreds of metrics shows the first ones; users select others, and the address stores the selection.
const FIRST = 8;

export function metricsShown(head: Head, at: Record<string, string>): string[] {
  const all = Object.keys(head.metrics);
  if (at.metrics === undefined || at.metrics === "") {
    const sorted = all.find((name) => at.sort === name || at.sort === `${name} good`);
    return all.filter((name, i) => i < FIRST || name === sorted);
  }
  const wanted = new Set(at.metrics.split("\t"));
  return all.filter((name) => wanted.has(name));
}

export function Columns({ head, at, set }: { head: Head; at: Record<string, string>; set: (changes: Record<string, string>) => void }) {
  const [find, setFind] = useState("");
  const all = Object.keys(head.metrics);
  if (all.length < 2) return null;
  const shown = metricsShown(head, at);
  const choose = (names: string[]) => set({ metrics: names.length ? names.join("\t") : "\t" });
  return (
    <Menu name="columns" label={shown.length === all.length ? `${all.length} metrics` : `${shown.length} of ${all.length} metrics`}>
      <input type="search" aria-label="Find a metric" placeholder="Find a metric" value={find} onInput={(event) => setFind(event.currentTarget.value)} />
      <p><button class="quiet" onClick={() => choose(all)}>All</button> <button class="quiet" onClick={() => choose([])}>None</button></p>
      {all.filter((name) => `${name}\n${head.metrics[name].label}`.toLowerCase().includes(find.toLowerCase())).map((name) => (
        <label key={name}>
          <input type="checkbox" checked={shown.includes(name)}
            onChange={() => choose(all.filter((one) => shown.includes(one) !== (one === name)))} />{" "}
          <Plain text={head.metrics[name].label} />{head.metrics[name].label !== name && <span class="muted"> <Plain text={name} /></span>}
        </label>
      ))}
    </Menu>
  );
}
