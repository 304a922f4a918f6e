// Reviews one item at a time, as on the terminal, and MQM annotation. "Saved" means that the decision is on disk.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Annotate } from "./annotate";
import { decide, finish, head as askHead, item as askItem, order as askOrder, StaleView } from "./session";
import type { Counts, Decision, MqmItem, Passage, QuestionItem, ReviewHead, ReviewItem, Show } from "./session";
import { diff } from "./diff";
import { count, plural } from "./format";
import { go } from "./route";
import { typing } from "./segments";
import { Diffed, Plain, shown } from "./text";

const SHOWN: [Show, string][] = [
  ["undecided", "undecided"], ["all", "all"], ["mine", "decided by me"], ["others", "decided by others only"],
  ["disagreeing", "disagreeing"], ["skipped", "skipped"],
];
interface Done { number: number; before: ReviewItem; after: unknown }

export function Review({ start, at }: { start: ReviewHead; at: Record<string, string> }) {
  const [counts, setCounts] = useState<Counts>(start.counts);
  const [order, setOrder] = useState<number[] | null>(null);
  const [item, setItem] = useState<ReviewItem | null>(null);
  const [said, setSaid] = useState({ text: "", wrong: false });
  const [ended, setEnded] = useState(false);
  const done = useRef<Done[]>([]);
  const busy = useRef(false);
  const flying = useRef(Promise.resolve(true)); // the decision that is being sent
  const show = (SHOWN.some(([name]) => name === at.show) ? at.show : "undecided") as Show;
  const number = at.item !== undefined && at.item !== "" ? Number(at.item) : null;
  const open = (next: number | null, replace = false) => go("review", "", { show, item: next === null ? "" : String(next) }, replace);
  const fail = (reason: Error) => setSaid({ text: reason.message, wrong: true });
  const say = (text: string) => setSaid({ text, wrong: false });

  const reorder = async (): Promise<number[]> => {
    const found = await askOrder(show);
    setOrder(found);
    setCounts((await askHead()).counts);
    return found;
  };
  useEffect(() => {
    setOrder(null);
    reorder().then((found) => { if (number === null && found.length) open(found[0], true); }, fail);
  }, [show]);
  // Responses may arrive out of order: show only the current item, and never its state before a decision.
  const chosen = useRef(number);
  chosen.current = number;
  const changes = useRef(0);
  const draw = (found: ReviewItem) => { if (found.number === chosen.current) setItem(found); };
  const load = async (wanted: number): Promise<void> => {
    const before = changes.current;
    const found = await askItem(wanted);
    if (changes.current === before) draw(found);
    else if (wanted === chosen.current) await load(wanted);
  };
  useEffect(() => {
    if (number === null) setItem(null);
    else load(number).catch(fail);
  }, [number]);

  // Move the focus to the next item for users of the keyboard or a screen reader.
  const shownBefore = useRef<number | null>(null);
  useLayoutEffect(() => {
    const before = shownBefore.current;
    shownBefore.current = item?.number ?? null;
    const focused = document.activeElement;
    if (before === null || item === null || before === item.number || (focused !== document.body && !focused?.closest(".item"))) return;
    document.querySelector<HTMLElement>(start.kind === "mqm" ? '[data-side="target"] .marking' : ".item h2")?.focus({ preventScroll: true });
    scrollTo({ top: 0 });
  }, [item?.number]);

  const place = order && number !== null ? order.indexOf(number) : -1;
  const move = async (step: number) => {
    if (!order) return;
    const next = order[place + step];
    if (next !== undefined && place + step >= 0) return open(next);
    if (step < 0) return;
    const fresh = await reorder();
    const further = fresh.find((one) => one !== number);
    if (show === "undecided" && fresh.length) open(further ?? fresh[0]);
    else if (show === "undecided") open(null);
    else say("This was the last item.");
  };
  // Ignore keys that are pressed before the next item is visible.
  const keep = async (decision: Decision): Promise<boolean> =>
    item !== null && item.number === number ? put(item.number, item.seen, decision, item) : false;
  const put = (of: number, seen: unknown, decision: Decision, before: ReviewItem): Promise<boolean> => {
    if (busy.current) return Promise.resolve(false);
    busy.current = true;
    return (flying.current = send(of, seen, decision, before));
  };
  const send = async (of: number, seen: unknown, decision: Decision, before: ReviewItem): Promise<boolean> => {
    try {
      const kept = await decide(of, seen, decision);
      done.current.push({ number: of, before, after: kept.item.seen });
      changes.current++;
      draw(kept.item);
      setCounts(kept.counts);
      say(`Saved: ${what(decision)} · ${decided(kept.counts, start.total)}`);
      return true;
    } catch (reason) {
      fail(reason as Error);
      if (reason instanceof StaleView) {
        done.current = done.current.filter((one) => one.number !== of);
        draw(await askItem(of));
      }
      return false;
    } finally {
      busy.current = false;
    }
  };
  const undo = async () => {
    await flying.current;
    const lastOne = done.current.at(-1);
    if (!lastOne) return say("Nothing to undo.");
    const { before } = lastOne;
    if (lastOne.number !== chosen.current) open(lastOne.number);
    if (await put(lastOne.number, lastOne.after, undone(before), before)) {
      done.current.splice(-2);
      say("Undone");
    }
  };
  const stop = () => finish().then(() => setEnded(true), fail);

  useLayoutEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
      if (event.key === "j") void move(1);
      else if (event.key === "k") void move(-1);
      else if (event.key === "u") void undo();
      else return;
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    addEventListener("keydown", pressed, true);
    return () => removeEventListener("keydown", pressed, true);
  });

  if (ended) return <main><h1>Finished</h1><p role="status">{decided(counts, start.total)}; saved in <code>{start.file}</code>. You can close this page.</p></main>;
  return (
    <main class="review">
      <h1><Plain text={start.title} /></h1>
      <div class="bar">
        <label>Show{" "}
          <select value={show} onChange={(event) => go("review", "", { show: event.currentTarget.value })}>
            {SHOWN.filter(([name]) => name !== "skipped" || start.kind === "questions").map(([name, label]) => <option key={name} value={name}>{label} ({count(counts[name])})</option>)}
          </select>
        </label>
        <button class="quiet" onClick={() => void move(-1)} disabled={place <= 0}><kbd>k</kbd> Back</button>
        <button class="quiet" onClick={() => void move(1)} disabled={!order?.length}><kbd>j</kbd> Next</button>
        <button class="quiet" onClick={() => void undo()}><kbd>u</kbd> Undo</button>
        <button class="quiet" onClick={() => void stop()}>Finish</button>
        <span class="muted who">as <b><Plain text={start.annotator} /></b></span>
      </div>
      <Progress counts={counts} total={start.total} />
      <p role="status" class={said.wrong ? "unseen" : "said"}>{said.wrong ? "" : said.text}</p>
      <p role="alert" class="problem">{said.wrong ? said.text : ""}</p>
      {item && number !== null ? (
        <article class="card item" data-item={item.number}>
          <h2 tabIndex={-1}><Plain text={item.title} /></h2>
          {start.kind === "mqm" ? <Annotate head={start} item={item as MqmItem} keep={keep} next={() => void move(1)} say={say} />
            : <Asked item={item as QuestionItem} keep={keep} next={() => void move(1)} />}
        </article>
      ) : order && !order.length ? <p class="empty">{show === "undecided" ? "All items are decided." : "No items match."}</p> : null}
      <p class="note">Every decision is saved immediately in <code>{start.file}</code>.</p>
    </main>
  );
}

const decided = (counts: Counts, total: number): string =>
  `${count(total - counts.undecided - counts.skipped)} of ${count(total)} decided${counts.skipped ? `, ${count(counts.skipped)} skipped` : ""}`;

function Progress({ counts, total }: { counts: Counts; total: number }) {
  return (
    <div class="progress">
      <progress aria-label="Decided" max={total || 1} value={total - counts.undecided - counts.skipped} />
      <span>{decided(counts, total)}{counts.disagreeing > 0 && <> · {count(counts.disagreeing)} disagreeing</>}</span>
    </div>
  );
}

const what = (decision: Decision): string =>
  "choice" in decision ? decision.choice : !decision.errors ? "withdrawn" : decision.errors.length ? plural(decision.errors.length, "error") : "no error";

// The decision that restores an item's previous state.
function undone(before: ReviewItem): Decision {
  if ("passages" in before) {
    if (before.mine.startsWith("edit:")) return { choice: "edit", text: before.mine.slice("edit:".length) };
    return { choice: before.mine || "undo" };
  }
  return { errors: before.mine };
}

function Asked({ item, keep, next }: { item: QuestionItem; keep: (decision: Decision) => Promise<boolean>; next: () => void }) {
  const [editing, setEditing] = useState<string | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => setEditing(null), [item.number]);
  useEffect(() => { if (editing !== null) field.current?.focus(); }, [editing !== null]);
  const choose = async (name: string) => {
    if (name === "edit" && editing === null) return setEditing(item.editable);
    const decision = name === "edit" ? { choice: "edit", text: editing ?? "" } : { choice: name };
    if (await keep(decision)) next();
  };
  useLayoutEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
      const choice = item.choices.find(({ key }) => key === event.key.toLowerCase());
      if (!choice) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      void choose(choice.name);
    };
    addEventListener("keydown", pressed, true);
    return () => removeEventListener("keydown", pressed, true);
  });
  const mine = item.mine.startsWith("edit:") ? "edit" : item.mine;
  return (
    <>
      <dl class="passages">
        {item.passages.map((passage, i) => <div key={i}><dt>{passage.label}</dt><dd><Text passage={passage} all={item.passages} /></dd></div>)}
      </dl>
      {editing === null ? (
        <div class="bar choices" role="group" aria-label="Your decision">
          {item.choices.map(({ key, name }) => (
            <button key={key} class={mine === name ? "on" : name === "skip" ? "quiet" : ""} aria-pressed={mine === name} onClick={() => void choose(name)}>
              <kbd>{key}</kbd> {name}
            </button>
          ))}
        </div>
      ) : (
        <form class="edit" onSubmit={(event) => { event.preventDefault(); void choose("edit"); }}>
          <label>Corrected text
            <textarea ref={field} rows={3} dir="auto" value={editing} onInput={(event) => setEditing(event.currentTarget.value.replace(/[\r\n]+/g, " "))}
              onKeyDown={(event) => { if (event.key === "Escape") { setEditing(null); event.stopPropagation(); } }} />
          </label>
          <div class="bar"><button type="submit">Save</button><button type="button" class="quiet" onClick={() => setEditing(null)}>Cancel</button></div>
        </form>
      )}
      {item.mine && <p class="muted">You: <b>{mine}</b>{mine === "edit" && <> “<Plain text={item.mine.slice("edit:".length)} />”</>}</p>}
      {Object.entries(item.others).map(([who, choice]) => (
        <p key={who} class={choice === item.mine ? "muted" : "problem"}>
          {choice === item.mine ? "" : "≠ "}<Plain text={who} />: <b><Plain text={choice.startsWith("edit:") ? `edit “${choice.slice("edit:".length)}”` : choice} /></b>
        </p>
      ))}
      {!item.mine && item.waiting > 0 && <p class="muted">{plural(item.waiting, "other reviewer")} decided this item. Decide it to see their choice.</p>}
    </>
  );
}

const WRONG = /incorrect|wrong|translation/;

function Text({ passage, all }: { passage: Passage; all: Passage[] }) {
  const other = passage.against ? all.find(({ label }) => label === passage.against) : undefined;
  if (other) {
    return <Diffed pieces={diff(other.text, passage.text, passage.language)[1]} lang={passage.language} kind={WRONG.test(passage.label) ? "removed" : "added"} />;
  }
  if (!passage.marks.length) return <Plain text={passage.text} lang={passage.language} />;
  const signs = [...passage.text];
  let last = 0;
  const parts = passage.marks.map(([from, to]) => {
    const part = <>{shown(signs.slice(last, from).join(""))}<mark class={WRONG.test(passage.label) ? "span major" : "span right"}>{shown(signs.slice(from, to).join(""))}</mark></>;
    last = to;
    return part;
  });
  return <bdi class="text" dir="auto" lang={passage.language || undefined}>{parts}{shown(signs.slice(last).join(""))}</bdi>;
}
