// MQM annotation: errors with category and severity in the translation or, for omissions, in the source. Each change is saved immediately.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Decision, MarkedError, MqmItem, ReviewHead, Side } from "./session";
import { plural } from "./format";
import { LEVELS, Marking } from "./marking";
import { typing } from "./segments";
import type { Chosen } from "./selection";
import { Plain, severity } from "./text";

interface Draft { side: Side; chosen: Chosen; category: string; severity: string; edited: number | null }

const OMISSION = "Accuracy/Omission";

export function Annotate({ head, item, keep, next, say }: {
  head: ReviewHead; item: MqmItem; keep: (decision: Decision) => Promise<boolean>; next: () => void; say: (text: string) => void;
}) {
  const [draft, redraw] = useState<Draft | null>(null);
  const now = useRef(draft); // keys may arrive before the page is redrawn
  const setDraft = (next: Draft | null) => redraw((now.current = next));
  const [last, setLast] = useState({ category: head.categories?.[0] ?? "", severity: "major" });
  const [lit, setLit] = useState<MarkedError | null>(null);
  const form = useRef<HTMLSelectElement>(null);
  useLayoutEffect(() => { setDraft(null); setLit(null); }, [item.number]);
  const errors = item.mine ?? [];
  const numbers = new Map(errors.map((error, i) => [error, i + 1]));
  const [from = "", to = ""] = item.langpair.split("-", 2);
  const textOf = (side: Side): string => (side === "source" ? item.source : item.target);
  const cut = (side: Side, chosen: Chosen): string => [...textOf(side)].slice(chosen.start, chosen.end).join("");

  const choose = (side: Side) => (chosen: Chosen | null) => {
    if (!chosen) return setDraft(null);
    say(`Selected: ${cut(side, chosen)}`);
    const old = now.current;
    setDraft(old?.edited != null ? { ...old, side, chosen }
      : { side, chosen, severity: last.severity, category: side === "source" ? OMISSION : last.category === OMISSION ? head.categories?.[0] ?? "" : last.category, edited: null });
  };
  const save = async (level?: string) => {
    const saved = now.current;
    if (!saved) return;
    const { side, chosen, category, edited } = saved;
    const { start, end } = chosen;
    const error: MarkedError = { side, start, end, category, severity: level ?? saved.severity, text: cut(side, chosen) };
    const all = edited === null ? [...errors, error] : errors.map((one, i) => (i === edited ? error : one));
    if (await keep({ errors: all })) {
      setLast({ category, severity: error.severity });
      if (document.activeElement?.closest(".marked-form")) document.querySelector<HTMLElement>(`[data-side="${side}"] .marking`)?.focus();
      if (now.current === saved) setDraft(null); // keep a newer selection
    }
  };
  const remove = async (index: number) => {
    const rest = errors.filter((_, i) => i !== index);
    if (await keep({ errors: rest.length ? rest : null })) setDraft(null);
  };
  const none = async () => {
    if (!errors.length && await keep({ errors: [] })) next();
  };

  useLayoutEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
      const level = LEVELS[Number(event.key) - 1];
      if (now.current && /^[1-4]$/.test(event.key) && level) void save(level);
      else if (event.key === "n" && !errors.length) void none();
      else if (event.key === "Escape" && now.current) setDraft(null);
      else return;
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    addEventListener("keydown", pressed, true);
    return () => removeEventListener("keydown", pressed, true);
  });

  const side = (name: Side, label: string, language: string) => (
    <div data-side={name}>
      <h3 id={`side-${name}`}>{label}</h3>
      <Marking label={label} text={textOf(name)} language={language} errors={errors.filter((error) => error.side === name)} numbers={numbers}
        chosen={draft?.side === name ? draft.chosen : null} lit={lit} choose={choose(name)} enter={() => form.current?.focus()} />
    </div>
  );
  return (
    <div class="annotate">
      <div class={item.source ? "texts beside" : "texts"}>
        {item.source && side("source", "Source", from)}
        {side("target", "Translation", to)}
        {item.reference && <div class="under"><h3>Reference</h3><p class="reference"><Plain text={item.reference} lang={to} /></p></div>}
      </div>
      {draft && (
        <form class="card marked-form" aria-label={draft.edited === null ? "New error" : `Error ${draft.edited + 1}`} onSubmit={(event) => { event.preventDefault(); void save(); }}>
          <p class="quoted">“<Plain text={cut(draft.side, draft.chosen)} lang={draft.side === "source" ? from : to} />” <span class="muted">in the {draft.side === "source" ? "source" : "translation"}</span></p>
          <div class="bar">
            <label>Category{" "}
              <select ref={form} value={draft.category} onChange={(event) => setDraft({ ...draft, category: event.currentTarget.value })}>
                {grouped(head.categories ?? []).map(([group, names]) => names.length === 1 && names[0] === group
                  ? <option key={group} value={group}>{group}</option>
                  : <optgroup key={group} label={group}>{names.map((name) => <option key={name} value={name}>{name.slice(group.length + 1)}</option>)}</optgroup>)}
              </select>
            </label>
            <fieldset class="levels">
              <legend class="unseen">Severity</legend>
              {(head.severities ?? LEVELS).map((level) => (
                <label key={level} class={`level ${severity(level)}`}>
                  <input type="radio" name="severity" value={level} checked={draft.severity === level} onChange={() => setDraft({ ...draft, severity: level })} />{" "}{level}
                </label>
              ))}
            </fieldset>
            <button type="submit">{draft.edited === null ? "Add error" : "Change error"}</button>
            <button type="button" class="quiet" onClick={() => setDraft(null)}>Cancel</button>
          </div>
        </form>
      )}
      <div class="bar">
        {errors.length === 0 && <button class={item.mine ? "quiet on" : ""} aria-pressed={item.mine !== null} onClick={() => void none()}><kbd>n</kbd> No error</button>}
        <span class="muted">{item.mine === null ? "not annotated yet" : errors.length ? `${plural(errors.length, "error")} · MQM ${String(item.score).replace("-", "−")}` : "confirmed: no error"}</span>
      </div>
      {errors.length > 0 && (
        <ol class="errors" aria-label="Errors">
          {errors.map((error, i) => (
            <li key={i} onMouseEnter={() => setLit(error)} onMouseLeave={() => setLit(null)}>
              <Said error={error} from={from} to={to} />
              <button class="quiet" aria-label={`Edit error ${i + 1}`} onClick={() => { setDraft({ side: error.side, chosen: error, category: error.category, severity: error.severity, edited: i }); }}>Edit</button>
              <button class="quiet" aria-label={`Delete error ${i + 1}`} onClick={() => void remove(i)}>Delete</button>
            </li>
          ))}
        </ol>
      )}
      {Object.entries(item.others).map(([who, theirs]) => (
        <section key={who} class="others">
          <h3><Plain text={who} /></h3>
          {theirs.length ? <ul>{theirs.map((error, i) => <li key={i}><Said error={error} from={from} to={to} /></li>)}</ul> : <p class="muted">no error</p>}
        </section>
      ))}
      {item.mine === null && item.waiting > 0 && <p class="muted">{plural(item.waiting, "other annotator")} annotated this item. Annotate it to see their errors.</p>}
      <p id="marking-help" class="note">
        Select an error in the translation, or missing text in the source: drag, tap a word, or use the arrow keys (<kbd>Shift</kbd> for more words,
        {" "}<kbd>Ctrl</kbd> for single characters, with <kbd>Shift</kbd> at the start). Then press <kbd>1</kbd> to <kbd>4</kbd> for neutral, minor, major or critical, or <kbd>Enter</kbd> for the form.
      </p>
    </div>
  );
}

function Said({ error, from, to }: { error: MarkedError; from: string; to: string }) {
  return (
    <>
      <span class={`tag span ${severity(error.severity)}`}>{error.severity}</span> <Plain text={error.category} />{" "}
      “<Plain text={error.text} lang={error.side === "source" ? from : to} />”{error.side === "source" && <span class="muted"> in the source</span>}{" "}
    </>
  );
}

function grouped(names: string[]): [string, string[]][] {
  const groups = new Map<string, string[]>();
  for (const name of names) {
    const group = name.split("/", 1)[0];
    groups.set(group, [...(groups.get(group) ?? []), name]);
  }
  return [...groups];
}
