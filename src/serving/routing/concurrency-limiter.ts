/**
 * How many calls run at once at each upstream and on each route, against the limits of the
 * catalogue.
 */
import type { Route, UpstreamConfig } from "../../catalogue/catalogue.ts";

/** One call's place at an upstream and on a route. */
export interface Permit {
  /** Gives both back; a second call does nothing. */
  release(): void;
}

export interface ConcurrencyLimiter {
  /** Takes a place at the upstream and on the route; null when either has none left. */
  take(upstream: UpstreamConfig, route: Route): Permit | null;
}

/** The calls that run under one name; forgotten with the last of them. */
interface Count {
  readonly name: string;
  running: number;
}

export function createConcurrencyLimiter(): ConcurrencyLimiter {
  /** Names of upstreams have no line breaks, so a route's name is no upstream's. */
  const counts = new Map<string, Count>();

  return {
    take(upstream, route) {
      const routeName = `${upstream.name}\n${route.model}`;
      const atUpstream = counts.get(upstream.name);
      const onRoute = counts.get(routeName);
      if (
        (atUpstream?.running ?? 0) >= upstream.maxConcurrent ||
        (onRoute?.running ?? 0) >= (route.maxConcurrent ?? Infinity)
      )
        return null;
      return new TakenPlace(
        counts,
        atUpstream ?? begin(counts, upstream.name),
        onRoute ?? begin(counts, routeName),
      );
    },
  };
}

function begin(counts: Map<string, Count>, name: string): Count {
  const count = { name, running: 0 };
  counts.set(name, count);
  return count;
}

class TakenPlace implements Permit {
  private readonly counts: Map<string, Count>;
  private readonly atUpstream: Count;
  private readonly onRoute: Count;
  private held = true;

  constructor(counts: Map<string, Count>, atUpstream: Count, onRoute: Count) {
    this.counts = counts;
    this.atUpstream = atUpstream;
    this.onRoute = onRoute;
    atUpstream.running += 1;
    onRoute.running += 1;
  }

  release(): void {
    if (!this.held) return;
    this.held = false;
    this.end(this.atUpstream);
    this.end(this.onRoute);
  }

  private end(count: Count): void {
    count.running -= 1;
    if (count.running === 0) this.counts.delete(count.name);
  }
}
