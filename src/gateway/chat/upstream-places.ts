/** How many calls run at once at each upstream and on each route, against the limits of the catalogue. */
import type { Route, UpstreamConfig } from "../../catalogue/catalogue.ts";

export interface UpstreamPlaces {
  /** Takes a place at the upstream and on the route. Returns what gives both back; null when either has none left. */
  take(upstream: UpstreamConfig, route: Route): (() => void) | null;
}

export function createUpstreamPlaces(): UpstreamPlaces {
  /** Names of upstreams have no line breaks, so a route's name is no upstream's. */
  const running = new Map<string, number>();
  const count = (name: string): number => running.get(name) ?? 0;

  function change(name: string, by: number): void {
    const changed = count(name) + by;
    if (changed === 0) running.delete(name);
    else running.set(name, changed);
  }

  return {
    take(upstream, route) {
      const routeName = `${upstream.name}\n${route.model}`;
      if (count(upstream.name) >= upstream.maxConcurrent || count(routeName) >= (route.maxConcurrent ?? Infinity)) return null;
      change(upstream.name, 1);
      change(routeName, 1);
      let held = true;
      return () => {
        if (!held) return;
        held = false;
        change(upstream.name, -1);
        change(routeName, -1);
      };
    },
  };
}
