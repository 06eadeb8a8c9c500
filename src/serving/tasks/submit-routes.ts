/**
 * Which upstreams a task is offered to, in which order, and with which credential: by order and
 * weight, leaving out who rests or has no place.
 */
import type { TaskRoute, UpstreamConfig } from "../../catalogue/catalogue.ts";
import { jittered } from "../../kernel/backoff.ts";
import type { TaskAdapter } from "../../upstreams/tasks/task-adapter.ts";
import { chooseRoutes } from "../routing/choose-routes.ts";
import type { EngineParts } from "./advance-deps.ts";
import type { Slot } from "../../net/slots.ts";
import { adapterOf } from "./advance-target.ts";

export interface Offer {
  readonly route: TaskRoute;
  readonly upstream: UpstreamConfig;
  readonly adapter: TaskAdapter;
  readonly credentialName: string;
  readonly credential: string;
  /** To be given back after the call. */
  readonly slot: Slot;
}

export interface Offers {
  /** Null when no upstream is left that could be asked now. */
  next(): Offer | null;
  /** The upstream that was offered last takes it so much later only. */
  later(ms: number): void;
  /**
   * Until an upstream could be asked again; null: none rests and none is busy, so that waiting
   * alone mends nothing.
   */
  readonly waitMs: number | null;
  /** What an operator has to mend. */
  readonly complaints: readonly { readonly upstream: string; readonly reason: string }[];
}

/** Where every place at an upstream is taken. */
const FULL_MS = 500;

export function createOffers(parts: EngineParts, eligible: readonly TaskRoute[]): Offers {
  const routes = chooseRoutes(eligible, parts.random)[Symbol.iterator]();
  const { upstreams } = parts.catalogue.current().catalogue;
  const complaints: { upstream: string; reason: string }[] = [];
  let waitMs: number | null = null;
  const wait = (ms: number): void => void (waitMs = Math.min(waitMs ?? Infinity, ms));

  function offer(route: TaskRoute): Offer | null {
    const upstream = upstreams.get(route.upstream);
    const adapter = upstream === undefined ? null : adapterOf(parts, upstream);
    if (upstream === undefined || adapter === null) {
      complaints.push({ upstream: route.upstream, reason: "it does not take tasks" });
      return null;
    }
    const restMs = parts.rests.restMs(upstream.name);
    if (restMs > 0) {
      wait(jittered(restMs, parts.random));
      return null;
    }
    const credential = credentialOf(upstream);
    if (credential === null) return null;
    const slot = parts.slots.tryTake(upstream.name, upstream.maxConcurrent);
    if (slot !== null) return { route, upstream, adapter, slot, ...credential };
    wait(jittered(FULL_MS, parts.random));
    return null;
  }

  /** One of those that are set and do not rest, at random: they share the load. */
  function credentialOf(
    upstream: UpstreamConfig,
  ): { credentialName: string; credential: string } | null {
    const set = upstream.apiKeyEnv.flatMap((credentialName) => {
      const credential = parts.credential(credentialName);
      return credential === undefined ? [] : [{ credentialName, credential }];
    });
    if (set.length === 0) {
      complaints.push({
        upstream: upstream.name,
        reason: `no credential is set (${upstream.apiKeyEnv.join(", ")})`,
      });
      return null;
    }
    const awake = set.filter(
      ({ credentialName }) => parts.rests.restMs(upstream.name, credentialName) === 0,
    );
    const reason = "its credentials were refused a moment ago";
    if (awake.length === 0) complaints.push({ upstream: upstream.name, reason });
    return awake[Math.floor(parts.random() * awake.length)] ?? null;
  }

  return {
    next() {
      for (const route of routes) {
        const made = offer(route);
        if (made !== null) return made;
      }
      return null;
    },
    later: wait,
    get waitMs() {
      return waitMs;
    },
    complaints,
  };
}
