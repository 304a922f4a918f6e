// The current view: its complete state is in the address after #, so that it can be bookmarked and shared.
import { useEffect, useState } from "preact/hooks";
import type { Asked } from "./types";

export interface Route {
  screen: string;
  run: string;
  at: Record<string, string>;
}

export function parse(hash: string): Route {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const { run = "", ...at } = Object.fromEntries(new URLSearchParams(query));
  return { screen: path || "runs", run, at };
}

export function link(screen: string, run = "", at: Record<string, string> = {}): string {
  const kept = Object.entries({ run, ...at }).filter(([, value]) => value !== "");
  return `#/${screen}${kept.length ? `?${new URLSearchParams(kept)}` : ""}`;
}

export function go(screen: string, run = "", at: Record<string, string> = {}, replace = false): void {
  const target = link(screen, run, at);
  if (replace) {
    history.replaceState(null, "", target);
    dispatchEvent(new HashChangeEvent("hashchange"));
  } else {
    location.hash = target;
  }
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => parse(location.hash));
  useEffect(() => {
    const changed = () => setRoute(parse(location.hash));
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  return route;
}

export function askedOf(at: Record<string, string>): Asked {
  return { where: at.where ?? "", find: at.find ?? "", sort: at.sort ?? "", descending: at.descending === "1" };
}
