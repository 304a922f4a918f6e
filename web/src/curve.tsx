import { Axes, band, line, Plot, scale, useFrame } from "./charts";
import { Scroll } from "./table";
import type { PointCurve, Start } from "./types";

const LEVELS = [0.8, 0.9, 0.95];
// Lowest and highest share that is reported, as in assay compare; the few pairs at either end are not reliable.
const [LOWEST, HIGHEST] = [0.5, 0.95];

export function agreeing(curve: PointCurve, difference: number): number {
  const [sizes, shares, size] = [curve.difference, curve.agree, Math.abs(difference)];
  const after = sizes.findIndex((value) => value > size);
  const share = after === 0 ? shares[0] : after < 0 ? shares[shares.length - 1]
    : shares[after - 1] + ((shares[after] - shares[after - 1]) * (size - sizes[after - 1])) / (sizes[after] - sizes[after - 1]);
  return Math.min(Math.max(share, LOWEST), HIGHEST);
}

const said = (share: number): string =>
  (share >= HIGHEST ? "in over 95%" : share <= LOWEST ? "in about half" : `in about ${5 * Math.round(20 * share)}%`);

// Agreement by score difference: how much two systems must differ before annotators agree which is better.
export function AgreementCurve({ curves, usual, start, at, set }: {
  curves: PointCurve[]; usual: string[]; start: Start; at: Record<string, string>; set: (changed: Record<string, string>) => void;
}) {
  const frame = useFrame(320, 540);
  const curve = curves.find((one) => one.metric === at.worth) ?? usual.flatMap((name) => curves.filter((one) => one.metric === name))[0] ?? curves[0];
  const most = curve.difference[curve.difference.length - 1] || 1;
  const needed = LEVELS.map((level) => curve.difference.find((_, i) => curve.agree[i] >= level));
  const wanted = at.points !== undefined && at.points !== "" && Number.isFinite(Number(at.points)) ? Number(at.points) : Number((needed[0] ?? most / 2).toPrecision(2));
  const rises = curve.difference[curve.agree.indexOf(curve.agree[curve.agree.length - 1])];
  const xs: [number, number] = [0, Math.max(Math.min(most, 1.5 * rises || most), Math.abs(wanted))];
  const x = scale(...xs, frame.left, frame.width - 10);
  const y = scale(0, 1, frame.height - frame.bottom, 10);
  const shown = curve.difference.filter((value) => value <= xs[1]);
  const reached = [...shown, xs[1]];
  const level = <T,>(values: T[]): T[] => [...values.slice(0, shown.length), values[Math.min(shown.length, values.length) - 1]];
  const share = agreeing(curve, wanted);
  const step = 10 ** Math.floor(Math.log10(most / 20));
  return (
    <section class="card">
      <div class="bar">
        <h2>Agreement by score difference</h2>
        <label>Metric <select value={curve.metric} onChange={(event) => set({ worth: event.currentTarget.value, points: "" })}>
          {curves.map((one) => <option key={one.metric} value={one.metric}>{one.metric}</option>)}
        </select></label>
        <label>Difference <input type="number" min="0" step={step} value={String(+wanted.toPrecision(4))} onInput={(event) => set({ points: event.currentTarget.value })} /></label>
      </div>
      <p role="status" class="said">If two systems differ by {String(+wanted.toPrecision(4))} {curve.metric}, annotators prefer the same one <b>{said(share)}</b> of cases.</p>
      <div class="beside">
        <Plot frame={frame} name="curve" label={`Share of system pairs that annotators order as ${curve.metric} does, by score difference. The table has its levels.`}>
          <Axes frame={frame} {...{ xs, x, y }} ys={[0, 1]} across={`difference in ${curve.metric} between two systems`} up="annotators agree" percent="y" />
          <path class="filled band" style={{ "--c": start.palette[0] }} d={band(reached, level(curve.low), level(curve.high), x, y)} />
          <line class="chance" x1={frame.left} x2={frame.width - 10} y1={y(0.5)} y2={y(0.5)} />
          <path class="line" style={{ "--c": start.palette[0] }} stroke-width="2" d={line(reached, level(curve.agree), x, y)} />
          <line class="here" x1={x(Math.abs(wanted))} x2={x(Math.abs(wanted))} y1="10" y2={frame.height - frame.bottom} />
          <circle class="filled" style={{ "--c": start.palette[1] }} cx={x(Math.abs(wanted))} cy={y(share)} r="5" />
        </Plot>
        <div>
          <Scroll label="Differences from which annotators agree"><table class="plain narrow">
            <thead><tr><th scope="col">annotators agree</th>{LEVELS.map((one) => <th key={one} scope="col" class="num">in {100 * one}%</th>)}</tr></thead>
            <tbody><tr><th scope="row">from a difference of</th>{needed.map((value, i) => <td key={i} class="num">{value === undefined ? "not reached" : String(+value.toPrecision(3))}</td>)}</tr></tbody>
          </table></Scroll>
          <p class="note">
            From {curve.pairs.toLocaleString("en-US")} pairs of judged systems ({curve.origin}), isotonic regression{curve.low.some((value) => value !== null) ? "; the band is the 95% bootstrap interval over pairs" : ""}.
            The dashed line is chance. A smaller difference may be significant and still not be noticed by annotators.
          </p>
        </div>
      </div>
    </section>
  );
}
