import { useEffect, useRef, useState } from "preact/hooks";
import { count } from "./format";
import type { Live, Source } from "./types";

const EVERY = 1000;
const SELDOM = 5000;

// Progress of running runs. `changed` is called when a run starts, ends or is written again.
export function useLive(source: Source, first: Record<string, Live>, changed: () => void): Record<string, Live> {
  const [live, setLive] = useState(first);
  const known = useRef<string | null>(null);
  useEffect(() => {
    if (!source.live) return;
    let timer = 0;
    let ended = false;
    const look = async () => {
      let wait = SELDOM;
      try {
        const found = document.hidden ? null : await source.live!();
        if (ended) return;
        if (found) {
          const now = JSON.stringify(found.runs);
          if (known.current !== null && known.current !== now) changed();
          known.current = now;
          setLive((old) => (JSON.stringify(old) === JSON.stringify(found.live) ? old : found.live));
          if (Object.keys(found.live).length) wait = EVERY;
        }
      } catch { /* the server is gone, or comes again: the next question says so */ }
      if (!ended) timer = window.setTimeout(look, wait);
    };
    timer = window.setTimeout(look, EVERY);
    return () => { ended = true; clearTimeout(timer); };
  }, [source]);
  return live;
}

export function Progress({ live }: { live: Live }) {
  // Within the first rows, a slow metric's own requests are what moves.
  const slow = live.slow?.total ? live.slow.done / live.slow.total : null;
  const share = live.done === 0 && slow !== null ? slow : live.total && live.total > live.done ? live.done / live.total : null;
  const said = [
    `${count(live.done)}${live.total && live.total > live.done ? ` of about ${count(live.total)}` : ""} rows`,
    live.rate >= 1 ? `${count(Math.round(live.rate))}/s` : "", live.left !== null ? `${duration(live.left)} left` : "",
    live.slow?.metric ? `${live.slow.metric}: ${count(live.slow.done)} of ${count(live.slow.total)}` : "",
    live.rows < live.done ? `${count(live.rows)} of them shown` : "",
  ].filter(Boolean).join(" · ");
  return (
    <p class="live">
      <span class="tag">running</span>
      <progress {...(share === null ? {} : { value: share, max: 1 })} aria-label="Progress of the run" />
      <span>{said}</span>
    </p>
  );
}

const duration = (seconds: number): string =>
  seconds < 60 ? `${Math.round(seconds)} s` : seconds < 3600 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
