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
  take(upstream: UpstreamConfig, route: Pick<Route, "model" | "maxConcurrent">): Permit | null;
  /** Waits in turn for a place at the upstream, for a call that is of no route. */
  enter(upstream: Pick<UpstreamConfig, "name" | "maxConcurrent">): Promise<Permit>;
}

/** The calls that run under one name; forgotten with the last of them. */
interface Count {
  readonly name: string;
  running: number;
  /** First come, first served; null while none ever waited. */
  waiting: Set<() => void> | null;
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
      return new Place(
        counts,
        oneMore(atUpstream ?? begin(counts, upstream.name)),
        oneMore(onRoute ?? begin(counts, routeName)),
      );
    },

    async enter({ name, maxConcurrent }) {
      const count = counts.get(name) ?? begin(counts, name);
      if (count.running >= maxConcurrent) {
        const { promise, resolve } = Promise.withResolvers<void>();
        (count.waiting ??= new Set()).add(resolve);
        await promise;
        return new Place(counts, count, null);
      }
      return new Place(counts, oneMore(count), null);
    },
  };
}

function begin(counts: Map<string, Count>, name: string): Count {
  const count: Count = { name, running: 0, waiting: null };
  counts.set(name, count);
  return count;
}

function oneMore(count: Count): Count {
  count.running += 1;
  return count;
}

/** Of counts that have it already. */
class Place implements Permit {
  private readonly counts: Map<string, Count>;
  private readonly atUpstream: Count;
  private readonly onRoute: Count | null;
  private held = true;

  constructor(counts: Map<string, Count>, atUpstream: Count, onRoute: Count | null) {
    this.counts = counts;
    this.atUpstream = atUpstream;
    this.onRoute = onRoute;
  }

  release(): void {
    if (!this.held) return;
    this.held = false;
    this.end(this.atUpstream);
    if (this.onRoute !== null) this.end(this.onRoute);
  }

  private end(count: Count): void {
    // The place passes on as it is: the call that waited is not overtaken.
    const next = count.waiting?.values().next().value;
    if (next !== undefined) {
      count.waiting?.delete(next);
      return next();
    }
    count.running -= 1;
    if (count.running === 0) this.counts.delete(count.name);
  }
}
