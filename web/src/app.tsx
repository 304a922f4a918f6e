import { render } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Compare } from "./compare";
import { Decisions } from "./decisions";
import { Progress, useLive } from "./live";
import { Local } from "./local";
import { HumanJudgements } from "./judgements";
import { Phenomena } from "./phenomena";
import { Remote } from "./remote";
import { Review } from "./review";
import { go, link, useRoute } from "./route";
import { home, Runs, title } from "./runs";
import { Segments, typing } from "./segments";
import { Systems } from "./systems";
import { RunTable } from "./table";
import { Plain } from "./text";
import type { Detail, Head, Source, Start } from "./types";
import "./style.css";

const SCREENS: [string, string][] = [["runs", "Runs"], ["systems", "Systems"], ["segments", "Segments"], ["phenomena", "Phenomena"], ["people", "Human judgements"], ["decisions", "Decisions"], ["tables", "Tables"], ["review", "Review"]];
const KEYS: [string, string][] = [
  ["j, k", "Next or previous row"], ["/", "Go to the filter"], ["Enter", "Apply the filter"], ["Esc", "Close the row or this list"],
  ["1 to 9", "Open a screen, in the order above"], ["t", "Switch between light and dark"], ["?", "Show or hide this list"],
];

function App({ source, start: first }: { source: Source; start: Start }) {
  const route = useRoute();
  const [start, setStart] = useState(first);
  const [details, setDetails] = useState<Record<string, Detail>>({});
  const [error, setError] = useState("");
  const [help, setHelp] = useState(false);
  const run = start.runs.some((one) => one.key === route.run) ? route.run : start.runs.length === 1 ? start.runs[0].key : route.run;
  const detail = details[run];
  const live = useLive(source, Object.fromEntries(first.runs.flatMap((one) => (one.live ? [[one.key, one.live]] : []))), () => {
    source.start().then((found) => { setStart(found); setDetails({}); }, () => undefined);
  });
  useEffect(() => {
    if (!run || detail) return;
    source.detail(run).then((found) => setDetails((old) => ({ ...old, [run]: found })), (reason: Error) => setError(reason.message));
  }, [run, detail]);
  useEffect(() => {
    if (!location.hash && start.review) go("review", "", {}, true);
    else if (!location.hash && start.runs.length === 1) go(home(start.runs[0]), start.runs[0].key, {}, true);
  }, []);
  // Rows need no summary; the description in the list of runs is enough to show them.
  const head = detail?.head ?? start.runs.find((one) => one.key === run);
  const offered = SCREENS.filter(([screen]) => has(screen, start, head));
  useLayoutEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "Escape" && typing(event.target)) (event.target as HTMLElement).blur();
      if (typing(event.target)) return;
      if (event.key === "?") setHelp((shown) => !shown);
      else if (event.key === "t") turn();
      else if (/^[1-9]$/.test(event.key) && offered[Number(event.key) - 1]) go(offered[Number(event.key) - 1][0], run);
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, [run, head]);
  return (
    <>
      <header>
        <a class="brand" href={link("runs")}>assay</a>
        <nav aria-label="Screens">
          {offered.map(([screen, label]) => (
            <a key={screen} href={link(screen, run)} aria-current={route.screen === screen ? "page" : undefined}>
              {screen === "segments" && head?.kind === "items" ? "Items" : label}
            </a>
          ))}
        </nav>
        <span class="where">{head && route.screen !== "runs" && <Plain text={title(head) || head.name} />}</span>
        <button class="quiet" onClick={turn} aria-label="Switch between light and dark" title="Switch between light and dark (t)">◐</button>
        <button class="quiet" onClick={() => setHelp(true)} aria-label="Keyboard shortcuts" title="Keyboard shortcuts (?)">?</button>
      </header>
      {error && <p class="problem" role="alert">{error}</p>}
      {detail && route.screen !== "runs" && detail.problems.map((problem, i) => <p key={i} class="problem">⚠ <Plain text={problem} /></p>)}
      {live[run] && route.screen !== "runs" && <div class="banner" role="status"><Progress live={live[run]} /></div>}
      {route.screen === "review" && start.review ? <Review start={start.review} at={route.at} />
        : route.screen === "runs" ? <Runs runs={start.runs} live={live} />
        : route.screen === "compare" ? <Compare source={source} runs={start.runs} at={route.at} />
        : !run ? <main><p>Select a run in the list of <a href={link("runs")}>runs</a> first.</p></main>
          : head && route.screen === "segments" ? <Segments source={source} run={run} head={head} at={route.at} grown={live[run]?.rows ?? head.rows} />
            : !detail || !head ? <main aria-busy="true"><p class="muted">Loading …</p></main>
              : route.screen === "phenomena" ? <Phenomena detail={detail} start={start} run={run} at={route.at} />
                : route.screen === "people" ? <HumanJudgements {...{ detail, start, source, run }} at={route.at} />
                : route.screen === "decisions" ? <Decisions {...{ detail, start, run }} at={route.at} />
                : route.screen === "systems" ? <Systems {...{ detail, start, source, run }} at={route.at} />
                  : <Tables detail={detail} />}
      {help && <Help version={start.version} close={() => setHelp(false)} />}
    </>
  );
}

// Whether a screen is available; without a run, only the list of runs is.
function has(screen: string, start: Start, head: Head | undefined): boolean {
  if (screen === "review") return !!start.review;
  if (screen === "runs") return start.runs.length > 0 || !start.review;
  if (!head) return false;
  if (screen === "tables") return true;
  if (screen === "segments") return head.kind !== "";
  if (screen === "phenomena") return head.kind === "items";
  return screen === "systems" ? head.kind === "segments" : head.screens.includes(screen);
}

function Help({ version, close }: { version: string; close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="help" aria-label="Keyboard shortcuts" onClose={close}>
      <h2>Keyboard shortcuts</h2>
      <dl>{KEYS.map(([key, what]) => <><dt><kbd>{key}</kbd></dt><dd>{what}</dd></>)}</dl>
      <p class="muted">The address contains the whole view. Bookmark it to return to it.</p>
      <div class="bar"><button autofocus onClick={close}>Close</button><span class="muted">assay {version}</span></div>
    </dialog>
  );
}

function Tables({ detail }: { detail: Detail }) {
  return (
    <main>
      <h1>Tables</h1>
      {detail.tables.length ? detail.tables.map((table) => <RunTable key={table.name} table={table} />) : <p>This run has no tables.</p>}
      {Object.keys(detail.head.signatures).length > 0 && (
        <section class="card">
          <h2>Signatures</h2>
          {Object.entries(detail.head.signatures).map(([name, signature]) => <p key={name}><b><Plain text={name} /></b> <code><Plain text={signature} /></code></p>)}
        </section>
      )}
    </main>
  );
}

// Switch between light and dark. The initial theme is that of the system, unless the user has chosen one.
function turn(): void {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  try {
    localStorage.setItem("assay-theme", root.dataset.theme);
  } catch { /* a browser without storage */ }
}

async function begin(): Promise<void> {
  try {
    const kept = localStorage.getItem("assay-theme");
    if (kept === "dark" || kept === "light") document.documentElement.dataset.theme = kept;
  } catch { /* as above */ }
  const place = document.getElementById("app") as HTMLElement;
  try {
    const packed = document.getElementById("assay-data");
    const source: Source = packed ? await Local.open(packed.textContent ?? "") : new Remote();
    render(<App source={source} start={await source.start()} />, place);
  } catch (reason) {
    place.textContent = (reason as Error).message;
  }
}

void begin();
