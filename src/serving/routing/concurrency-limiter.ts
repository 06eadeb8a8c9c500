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
  /** Where it stands by its name. */
  readonly among: Map<string, Count>;
  running: number;
  /** First come, first served; null while none ever waited. */
  waiting: Set<() => void> | null;
  /** Of an upstream, by model: each of them is one of its calls; null while there was none. */
  routes: Map<string, Count> | null;
}

export function createConcurrencyLimiter(): ConcurrencyLimiter {
  const upstreams = new Map<string, Count>();

  return {
    take({ name, maxConcurrent }, { model, maxConcurrent: mostOfRoute }) {
      const known = upstreams.get(name);
      const onRoute = known?.routes?.get(model);
      if (
        (known?.running ?? 0) >= maxConcurrent ||
        (onRoute?.running ?? 0) >= (mostOfRoute ?? Infinity)
      )
        return null;
      const atUpstream = known ?? begin(upstreams, name);
      atUpstream.routes ??= new Map();
      return new Place(oneMore(atUpstream), oneMore(onRoute ?? begin(atUpstream.routes, model)));
    },

    async enter({ name, maxConcurrent }) {
      const count = upstreams.get(name) ?? begin(upstreams, name);
      if (count.running >= maxConcurrent) {
        const { promise, resolve } = Promise.withResolvers<void>();
        (count.waiting ??= new Set()).add(resolve);
        await promise;
        return new Place(count, null);
      }
      return new Place(oneMore(count), null);
    },
  };
}

function begin(among: Map<string, Count>, name: string): Count {
  const count: Count = { name, among, running: 0, waiting: null, routes: null };
  among.set(name, count);
  return count;
}

function oneMore(count: Count): Count {
  count.running += 1;
  return count;
}

/** Of counts that have it already. */
class Place implements Permit {
  private readonly atUpstream: Count;
  private readonly onRoute: Count | null;
  private held = true;

  constructor(atUpstream: Count, onRoute: Count | null) {
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
    if (count.running === 0) count.among.delete(count.name);
  }
}
