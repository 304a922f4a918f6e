import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

// A menu that opens below a button and closes on Esc or a click outside.
export function Menu({ name, label, children }: { name: string; label: string; children: ComponentChildren }) {
  const box = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const pressed = (event: PointerEvent) => {
      if (box.current && !box.current.contains(event.target as Node)) box.current.open = false;
    };
    addEventListener("pointerdown", pressed);
    return () => removeEventListener("pointerdown", pressed);
  }, []);
  const close = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || !box.current?.open) return;
    event.stopPropagation();
    box.current.open = false;
    box.current.querySelector("summary")?.focus();
  };
  return (
    <details ref={box} class={`menu ${name}`} onKeyDown={close}>
      <summary>{label}</summary>
      <div>{children}</div>
    </details>
  );
}
