import { Agreement } from "./agreement";
import { scale, ticks } from "./charts";
import { number, plural } from "./format";
import { colours } from "./heat";
import { go } from "./route";
import { RunTable, Scroll } from "./table";
import { Plain } from "./text";
import type { Comparison, Detail, Ranking, Source, Start } from "./types";
import { AgreementCurve } from "./curve";

const LEVELS: [number, string][] = [[0.001, "***"], [0.01, "**"], [0.05, "*"]];

export function HumanJudgements({ detail, start, source, run, at }: {
  detail: Detail; start: Start; source: Source; run: string; at: Record<string, string>;
}) {
  const found = detail.people;
  if (!found) return <main><h1>Human judgements</h1><p>This run has no human judgements.</p></main>;
  const set = (changed: Record<string, string>) => go("people", run, { ...at, ...changed }, true);
  const ranking = found.rankings.find((one) => one.key === at.ranking) ?? found.rankings[0];
  // Offer the metrics that were added to the table first, then the best ones.
  const first = found.rankings[0]?.of === "metrics" ? found.rankings[0].entries : [];
  const usual = [...first.filter((one) => one.kind === "new"), ...first].map((one) => one.name);
  const agreement = detail.tables.filter((table) => ["agreement", "metrics"].includes(table.name));
  return (
    <main>
      <h1>Human judgements</h1>
      {ranking && (
        <section class="card">
          <div class="bar">
            <h2>{ranking.of === "metrics" ? "Agreement of metrics with human judgements" : "Systems ranked by human judgements"}</h2>
            {found.rankings.length > 1 && (
              <label>{ranking.of === "metrics" ? "Task" : "Language pair"}{" "}
                <select value={ranking.key} onChange={(event) => set({ ranking: event.currentTarget.value, first: "", second: "" })}>
                  {found.rankings.map((one) => <option key={one.key} value={one.key}>{one.title}</option>)}
                </select>
              </label>
            )}
          </div>
          <Ranked ranking={ranking} start={start} />
        </section>
      )}
      {ranking && <Matrix ranking={ranking} start={start} at={at} set={set} />}
      {found.pairs.some((pair) => Object.keys(pair.metrics).length) && <Agreement pairs={found.pairs} {...{ usual, detail, start, source, run, at, set }} />}
      {found.curves.length > 0 && <AgreementCurve curves={found.curves} {...{ usual, start, at, set }} />}
      {agreement.map((table) => <RunTable key={table.name} table={table} />)}
    </main>
  );
}

const ROOM = 3;

// One line per metric or system, with a rule between clusters. The plot is a cell of the table, so that both are read, printed and scrolled together.
function Ranked({ ranking, start }: { ranking: Ranking; start: Start }) {
  const { entries, decimals } = ranking;
  const values = entries.flatMap((entry) => [entry.value, entry.low, entry.high]).filter((value): value is number => value !== null);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const place = scale(low, high, ROOM, 100 - ROOM);
  const x = (value: number): string => `${place(value).toFixed(2)}%`;
  const [ranged, clustered, kinds] = [entries.some((one) => one.ranks), entries.some((one) => one.cluster !== null), entries.some((one) => one.kind)];
  const shown = ticks(low, high);
  return (
    <>
      <p class="muted">
        {clustered ? `Lines separate clusters: entries below a line are significantly ${ranking.of === "metrics" ? "worse than some member of the cluster above" : "worse than all entries above"}. ` : ""}
        {ranking.about}
      </p>
      <Scroll label={`Ranking: ${ranking.title}`}>
        <table class="plain ranking">
          <thead>
            <tr>
              <th scope="col" class="num">{ranged ? "ranks" : "rank"}</th>
              {clustered && <th scope="col" class="num cluster">cluster</th>}
              <th scope="col">{ranking.of === "metrics" ? "metric" : "system"}</th>
              <th scope="col" class="num">{ranking.label}{ranking.lower_is_better ? " ↓" : ""}</th>
              <th scope="col" class="drawn">
                <svg height="16" aria-hidden="true">
                  {shown.map((value) => <text key={value} x={x(value)} y="12" text-anchor="middle">{String(+value.toPrecision(4))}</text>)}
                </svg>
                <span class="unseen">95% interval</span>
              </th>
              {kinds && <th scope="col" class="kind">kind</th>}
            </tr>
          </thead>
          <tbody>
            {entries.map((entry, i) => {
              const bounds = entry.low !== null && entry.high !== null;
              return (
                <tr key={entry.name} class={i && entry.cluster !== entries[i - 1].cluster ? "parted" : ""} data-name={entry.name}>
                  <td class="num">{entry.ranks || i + 1}</td>
                  {clustered && <td class="num cluster">{entry.cluster ?? "–"}</td>}
                  <th scope="row"><Plain text={entry.name} />{entry.kind === "new" && <> <span class="tag">new</span></>}</th>
                  <td class="num">{number(entry.value, decimals)}</td>
                  <td class="drawn">
                    <svg height="22" aria-hidden="true">
                      <g class="axis">{shown.map((value) => <line key={value} x1={x(value)} x2={x(value)} y1="0" y2="22" />)}</g>
                      {bounds && <line class="line" style={{ "--c": start.palette[0] }} x1={x(entry.low as number)} x2={x(entry.high as number)} y1="11" y2="11" stroke-width="2" />}
                      {entry.value !== null && <circle class="filled" style={{ "--c": start.palette[entry.kind === "new" ? 1 : 0] }} cx={x(entry.value)} cy="11" r="4.5" />}
                    </svg>
                    {bounds && <span class="unseen">{number(entry.low, decimals)} to {number(entry.high, decimals)}</span>}
                  </td>
                  {kinds && <td class="muted kind">{entry.kind}</td>}
                </tr>
              );
            })}
          </tbody>
        </table>
      </Scroll>
    </>
  );
}

export const stars = (p: number | null): string => (p === null ? "" : LEVELS.find(([level]) => p <= level)?.[1] ?? "·");

export const placeOf = (n: number, i: number, j: number): number => (i * (2 * n - i - 1)) / 2 + j - i - 1;

const written = (p: number): string => (p < 0.001 ? "p < 0.001" : `p = ${p.toFixed(3)}`);

function sentence(tests: Comparison, i: number, j: number, decimals: number): string {
  const [a, b] = [Math.min(i, j), Math.max(i, j)];
  const at = placeOf(tests.names.length, a, b);
  const [difference, low, high, p] = [tests.difference[at], tests.low[at], tests.high[at], tests.p[at]];
  if (difference === null || p === null) return `${tests.names[a]} and ${tests.names[b]} were not compared.`;
  const bounds = low !== null && high !== null ? ` (95% interval ${low.toFixed(decimals)} to ${high.toFixed(decimals)})` : "";
  return `${tests.names[a]} is ${difference.toFixed(decimals)} better than ${tests.names[b]}${bounds}, ${written(p)}: ${p <= 0.05 ? "significant." : "not significant."}`;
}

function Matrix({ ranking, start, at, set }: {
  ranking: Ranking; start: Start; at: Record<string, string>; set: (changed: Record<string, string>) => void;
}) {
  const tests = ranking.comparison;
  if (!tests || tests.names.length < 2) {
    return ranking.of === "metrics" ? (
      <section class="card"><h2>Pairs of metrics</h2><p class="muted">This run has no significance tests. Run assay meta --significance to see which metrics differ significantly.</p></section>
    ) : null;
  }
  const names = tests.names;
  const [first, second] = [at.first, at.second].map((name, i) => Math.max(0, names.indexOf(name) < 0 ? i : names.indexOf(name)));
  const choose = (label: string, key: string, value: number) => (
    <label>{label}{" "}
      <select value={names[value]} onChange={(event) => set({ [key]: event.currentTarget.value })}>
        {names.map((name) => <option key={name} value={name}>{name}</option>)}
      </select>
    </label>
  );
  const shade: Record<string, number> = { "***": 0.5, "**": 0.32, "*": 0.18 };
  return (
    <section class="card">
      <h2>Pairs of {ranking.of}</h2>
      <p class="muted">
        Above the diagonal, the {ranking.of === "metrics" ? "metric" : "system"} of the row is better; below it, worse. *** p ≤ 0.001, ** p ≤ 0.01, * p ≤ 0.05, · not significant
        ({ranking.two_sided ? "two-sided" : "one-sided, not corrected for the number of tests"}). Column numbers are row numbers.
      </p>
      <div class="bar">{choose("Compare", "first", first)} {choose("with", "second", second)}</div>
      <p role="status" class="said">{first === second ? "Select two different ones." : <Plain text={sentence(tests, first, second, ranking.decimals)} />}</p>
      <Scroll label={`Matrix of ${plural(names.length, ranking.of.slice(0, -1))}`} tall>
        <table class="matrix">
          <thead><tr><td></td>{names.map((name, j) => <th key={j} scope="col" title={name}>{j + 1}<span class="unseen"> {name}</span></th>)}</tr></thead>
          <tbody>
            {names.map((name, i) => (
              <tr key={name}>
                <th scope="row"><span class="muted">{i + 1}</span> <Plain text={name} /></th>
                {names.map((other, j) => {
                  if (i === j) return <td key={j} class="same"></td>;
                  const p = tests.p[placeOf(names.length, Math.min(i, j), Math.max(i, j))];
                  const mark = stars(p);
                  return (
                    <td key={j} style={shade[mark] ? colours(0.5 + (i < j ? 1 : -1) * shade[mark], start.heat) : {}}
                      class={(i === first && j === second) || (i === second && j === first) ? "chosen" : ""}
                      title={`${name} and ${other}: ${p === null ? "not compared" : written(p)}`}
                      onClick={() => set({ first: name, second: other })}>{mark}</td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </section>
  );
}
