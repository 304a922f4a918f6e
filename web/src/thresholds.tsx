import { Axes, band, line, Plot, scale, Swatch, useFrame } from "./charts";
import { written } from "./expression";
import { count, fixed, plural } from "./format";
import { link } from "./route";
import { Scroll } from "./table";
import { Plain } from "./text";
import type { Detail, RiskName, Start, Sweep } from "./types";

const RISKS: [RiskName, string, string][] = [
  ["bad_used", "bad among used", "Share of bad translations among those that are used."],
  ["caught", "breakdowns caught", "Share of bad translations that are not used."],
  ["lost", "bad and used, of all", "Share of all translations that are bad and used."],
];
const percent = (value: number | null | undefined): string => (value === null || value === undefined ? "–" : `${fixed(100 * value, 1)}%`);

// Filter expressions for the rows that are used, sent to review or rejected at a threshold.
export function chosen(sweep: Sweep, limit: number): Record<"used" | "review" | "rejected", string> {
  const score = written(sweep.column);
  const [better, notBetter] = sweep.higher_is_better ? [">", "<="] : ["<", ">="];
  const there = sweep.unscored ? `${score} is not missing` : "";
  const join = (...parts: string[]): string => [sweep.where, ...parts].filter(Boolean).join(" and ");
  const worse = sweep.reject === null ? null : (sweep.higher_is_better ? Math.min : Math.max)(sweep.reject, limit);
  const between = [`${score} ${notBetter} ${limit}`, worse === null ? "" : `${score} ${better} ${worse}`].filter(Boolean).join(" and ");
  return {
    used: join(there, `${score} ${better} ${limit}`),
    review: sweep.unscored ? join(`(${score} is missing or (${between}))`) : join(between),
    rejected: worse === null ? "" : join(there, `${score} ${notBetter} ${worse}`),
  };
}

// The position of the slider that is closest to a threshold.
export const stopAt = (sweep: Sweep, limit: number): number =>
  sweep.limits.reduce((best, value, i) => (Math.abs(value - limit) < Math.abs(sweep.limits[best] - limit) ? i : best), 0);

export function Thresholds({ sweeps, goal, detail, start, run, at, set }: {
  sweeps: Sweep[]; goal: string; detail: Detail; start: Start; run: string; at: Record<string, string>; set: (changed: Record<string, string>) => void;
}) {
  const fields: [keyof Sweep & ("metric" | "task" | "language"), string][] = [["metric", "Metric"], ["task", "Task"], ["language", "Language"]];
  const fits = (one: Sweep, wanted: Record<string, string>): number => fields.filter(([key]) => wanted[key] !== undefined && one[key] === wanted[key]).length;
  const best = (wanted: Record<string, string>): Sweep => sweeps.reduce((a, b) => (fits(b, wanted) > fits(a, wanted) ? b : a));
  const sweep = best(at);
  const own = sweep.limit === null ? 0 : stopAt(sweep, sweep.limit);
  const stop = at.limit !== undefined && at.limit !== "" && Number.isFinite(Number(at.limit)) ? stopAt(sweep, Number(at.limit)) : own;
  const limit = sweep.limits[stop];
  const label = detail.head.metrics[sweep.column]?.label ?? sweep.column;
  const shown = limit.toFixed(sweep.decimals);
  const counts = { used: sweep.used[stop], review: sweep.review[stop], rejected: sweep.rejected[stop] };
  const total = counts.used + counts.review + counts.rejected;
  const rows = chosen(sweep, limit);
  const parts: [keyof typeof counts, string, string][] = [["used", "use", start.palette[0]], ["review", "review", start.palette[4]], ["rejected", "reject", start.palette[1]]];
  let from = 0;
  return (
    <section class="card limits">
      <div class="bar">
        <h2>{goal ? <Plain text={goal} /> : "Effect of a threshold"}</h2>
        {fields.map(([key, name]) => {
          const values = [...new Set(sweeps.map((one) => one[key]))];
          return values.length > 1 && (
            <label key={key}>{name} <select value={sweep[key]} onChange={(event) =>
              set({ metric: sweep.metric, task: sweep.task, language: sweep.language, [key]: event.currentTarget.value, limit: "" })}>
              {values.map((value) => <option key={value} value={value}>{value || "all"}</option>)}
            </select></label>
          );
        })}
      </div>
      {sweep.promise && <p>Guarantee: <Plain text={sweep.promise} />.{!sweep.language && sweeps.some((one) => one.language)
        ? <span class="muted"> One threshold applies to all languages here, but the rule has one per language. Select a language to see it.</span> : null}</p>}
      <div class="slide">
        <label for="limit">Use {sweep.higher_is_better ? "above" : "below"} <output>{label} {shown}</output></label>
        <input id="limit" type="range" min="0" max={sweep.limits.length - 1} step="1" value={stop} aria-valuetext={`${label} ${shown}: ${plural(counts.used, "row")} used`}
          onInput={(event) => set({ limit: String(sweep.limits[Number(event.currentTarget.value)]) })} />
        {stop !== own && sweep.limit !== null && <button class="quiet" onClick={() => set({ limit: "" })}>{goal ? "Reset to the rule's threshold" : "Reset to the chosen threshold"}: {sweep.limit.toFixed(sweep.decimals)}</button>}
      </div>
      <svg class="plot shares" viewBox="0 0 680 26" preserveAspectRatio="none" role="img" aria-label={parts.map(([key, name]) => `${name} ${count(counts[key])}`).join(", ")}>
        {parts.map(([key, , colour]) => {
          const wide = total ? (680 * counts[key]) / total : 0;
          const x = from;
          from += wide;
          return <rect key={key} class="filled" style={{ "--c": colour }} x={x} y="0" width={wide} height="26" />;
        })}
      </svg>
      <ul class="parts">
        {parts.map(([key, name, colour]) => (
          <li key={key}>
            <Swatch colour={colour} />
            <b data-part={key}>{count(counts[key])}</b> {name} <span class="muted">({total ? ((100 * counts[key]) / total).toFixed(1) : "0"}%)</span>{" "}
            {rows[key] && counts[key] > 0 && <a href={link("segments", run, { where: rows[key], sort: sweep.column, descending: sweep.higher_is_better === (key === "used") ? "" : "1" })}>show<span class="unseen"> what to {name}</span></a>}
          </li>
        ))}
        <li class="muted">of {plural(total, sweep.counted.replace(/s$/, ""), sweep.counted)}</li>
      </ul>
      <Risks sweep={sweep} stop={stop} />
      <div class="beside">
        <div><Curves sweep={sweep} stop={stop} own={own} label={label} start={start} /></div>
        {sweep.calibration.length > 0 && <div><Calibration sweep={sweep} start={start} /></div>}
      </div>
    </section>
  );
}

function Risks({ sweep, stop }: { sweep: Sweep; stop: number }) {
  const observed = RISKS.some(([key]) => sweep.figures[key].observed.some((value) => value !== null));
  const order = [...RISKS].sort(([a], [b]) => Number(b === sweep.risk) - Number(a === sweep.risk));
  return (
    <Scroll label="Risk at this threshold">
      <table class="plain narrow">
        <thead><tr><th scope="col">risk at this threshold</th>{sweep.promised.length > 0 && <th scope="col" class="num">guaranteed</th>}<th scope="col" class="num">expected</th>{observed && <th scope="col" class="num">observed</th>}</tr></thead>
        <tbody>
          {order.map(([key, name, about]) => {
            const one = sweep.figures[key];
            const promised = key === sweep.risk ? sweep.promised[stop] : undefined;
            return (
              <tr key={key} data-risk={key}>
                <th scope="row" title={about}>{name}</th>
                {sweep.promised.length > 0 && <td class="num">{promised === undefined ? "" : `${key === "caught" ? "≥" : "≤"} ${percent(promised)}`}</td>}
                <td class="num">{percent(one.expected[stop])}</td>
                {observed && <td class="num">{percent(one.observed[stop])}{one.low[stop] !== null && <small class="muted"> {percent(one.low[stop])} to {percent(one.high[stop])}</small>}</td>}
              </tr>
            );
          })}
        </tbody>
      </table>
      <p class="note">
        {sweep.promised.length > 0 ? "Guaranteed: the guarantee of a rule learned with this threshold, if the goal is fixed before looking at the results. " : ""}
        Expected: from calibrated probabilities of a breakdown. {observed ? `Observed: on the ${sweep.counted}, with 95% intervals (Wilson).` : "The outcomes of these translations are unknown."}
      </p>
    </Scroll>
  );
}

function Curves({ sweep, stop, own, label, start }: { sweep: Sweep; stop: number; own: number; label: string; start: Start }) {
  const frame = useFrame(350, 540);
  const figure = sweep.figures[sweep.risk];
  const name = (RISKS.find(([key]) => key === sweep.risk) as [RiskName, string, string])[1];
  const share = (i: number): number => { const total = sweep.used[i] + sweep.review[i] + sweep.rejected[i]; return total ? sweep.used[i] / total : 0; };
  const xs = sweep.limits.map((_, i) => share(i));
  const all = [...figure.expected, ...figure.observed, ...figure.high, ...sweep.promised].filter((value): value is number => value !== null && value !== undefined);
  const top = Math.min(1, Math.max(0.05, ...all));
  const x = scale(0, 1, frame.left, frame.width - 10);
  const y = scale(0, top, frame.height - frame.bottom, 10);
  const keys: [string, (number | null)[], string, string][] = [
    ["observed", figure.observed, start.palette[0], ""], ["expected", figure.expected, start.palette[2], "2 4"], ["guaranteed", sweep.promised, start.palette[1], "7 4"],
  ];
  const there = keys.filter(([, values]) => values.some((value) => value !== null));
  return (
    <>
      <h3>{name}, by share used</h3>
      <Plot frame={frame} name="curve" label={`${name} by share used: ${there.map(([key, values]) => `${key} ${percent(values[stop])}`).join(", ")} at this threshold`}>
        <Axes frame={frame} xs={[0, 1]} ys={[0, top]} {...{ x, y }} across={`share used, by threshold of ${label}`} up={name} percent="xy" />
        <path class="filled band" style={{ "--c": start.palette[0] }} d={band(xs, figure.low, figure.high, x, y)} />
        {there.map(([key, values, colour, dash]) => <path key={key} class="line" style={{ "--c": colour }} stroke-width="2" stroke-dasharray={dash} d={line(xs, values, x, y)} />)}
        <line class="chance" x1={x(xs[own])} x2={x(xs[own])} y1="10" y2={frame.height - frame.bottom} />
        <line class="here" x1={x(xs[stop])} x2={x(xs[stop])} y1="10" y2={frame.height - frame.bottom} />
        {there.map(([key, values, colour]) => values[stop] !== null && <circle key={key} class="filled" style={{ "--c": colour }} cx={x(xs[stop])} cy={y(values[stop] as number)} r="4.5" />)}
      </Plot>
      <ul class="parts legend">
        {there.map(([key, , colour, dash]) => (
          <li key={key}><svg width="30" height="8" aria-hidden="true"><line class="line" style={{ "--c": colour }} x1="0" x2="30" y1="4" y2="4" stroke-width="2.5" stroke-dasharray={dash} /></svg> {key}</li>
        ))}
        {sweep.limit !== null && <li><svg width="8" height="14" aria-hidden="true"><line class="chance" x1="4" x2="4" y1="0" y2="14" /></svg> {sweep.promise ? "the rule's threshold" : "threshold from the development part"}</li>}
      </ul>
    </>
  );
}

function Calibration({ sweep, start }: { sweep: Sweep; start: Start }) {
  const bins = sweep.calibration;
  const top = Math.min(1, Math.max(0.1, ...bins.flatMap((bin) => [bin.expected, bin.observed, bin.high ?? 0])));
  const frame = useFrame(350, 420);
  const x = scale(0, top, frame.left, frame.width - 10);
  const y = scale(0, top, frame.height - frame.bottom, 10);
  return (
    <>
      <h3>Calibration</h3>
      <p class="muted">The {sweep.counted} in ten groups by predicted probability of a breakdown. On the line, predicted and observed rates are equal.</p>
      <Plot frame={frame} name="calibration"
        label={`Calibration: ${bins.map((bin) => `predicted ${percent(bin.expected)}, observed ${percent(bin.observed)}`).join("; ")}`}>
        <Axes frame={frame} xs={[0, top]} ys={[0, top]} {...{ x, y }} across="predicted breakdown rate" up="observed breakdown rate" percent="xy" />
        <line class="chance" x1={x(0)} y1={y(0)} x2={x(top)} y2={y(top)} />
        {bins.map((bin, i) => (
          <g key={i}>
            {bin.low !== null && bin.high !== null && <line class="line" style={{ "--c": start.palette[0] }} x1={x(bin.expected)} x2={x(bin.expected)} y1={y(bin.low)} y2={y(Math.min(bin.high, top))} stroke-width="1.6" />}
            <circle class="filled" style={{ "--c": start.palette[0] }} cx={x(bin.expected)} cy={y(bin.observed)} r="4.5" />
            <title>{`${plural(bin.n, "row")}: predicted ${percent(bin.expected)}, observed ${percent(bin.observed)}`}</title>
          </g>
        ))}
      </Plot>
    </>
  );
}
