/**
 * Takes a route out of use and puts it back on an operator's word: every process stops calling it
 * within a second or two, and goes on when its time is over.
 */
import type { CurrentCatalogue } from "../../catalogue/live-catalogue.ts";
import type { Db, Queryable } from "../../db/database.ts";
import { Fault } from "../../kernel/faults.ts";
import { recordAction } from "./audit.store.ts";
import { actorOf, type Operator } from "./operator.ts";
import {
  addRouteOut,
  lockRoutesOut,
  removeRouteOut,
  routesOut,
  type OutKey,
  type StoredRouteOut,
} from "./routes-out.store.ts";

export interface RoutesOutDeps {
  readonly db: Db;
  readonly catalogue: { current(): CurrentCatalogue };
}

/** Throws Fault("not_found") for what the catalogue in force does not have. */
export async function takeRouteOut(
  { db, catalogue }: RoutesOutDeps,
  operator: Operator,
  route: OutKey & { readonly minutes: number; readonly reason: string | null },
): Promise<void> {
  if (!isInForce(catalogue.current(), route)) throw new Fault("not_found");
  const { minutes, reason } = route;
  const actor = actorOf(operator);
  await db.transaction(async (tx) => {
    await lockRoutesOut(tx);
    const before = await outNow(tx, route);
    const until = await addRouteOut(tx, { ...route, takenBy: actor.actor });
    await recordAction(tx, {
      ...actor,
      action: "route.take_out",
      accountId: null,
      subject: nameOf(route),
      reason,
      before: { out: before !== null, until: before?.until.toISOString() ?? null },
      after: { out: true, until: until?.toISOString() ?? null, minutes },
    });
  });
}

/** What is not out stays so, and nothing is logged. */
export async function putRouteBack(
  { db }: Pick<RoutesOutDeps, "db">,
  operator: Operator,
  route: OutKey & { readonly reason: string | null },
): Promise<void> {
  await db.transaction(async (tx) => {
    await lockRoutesOut(tx);
    const before = await outNow(tx, route);
    if (before === null) return;
    await removeRouteOut(tx, route);
    await recordAction(tx, {
      ...actorOf(operator),
      action: "route.put_back",
      accountId: null,
      subject: nameOf(route),
      reason: route.reason,
      before: { out: true, until: before.until.toISOString(), reason: before.reason },
      after: { out: false },
    });
  });
}

async function outNow(q: Queryable, route: OutKey): Promise<StoredRouteOut | null> {
  const out = await routesOut(q);
  return (
    out.find(
      ({ upstream, upstreamModel }) =>
        upstream === route.upstream && upstreamModel === route.upstreamModel,
    ) ?? null
  );
}

function isInForce({ catalogue }: CurrentCatalogue, { upstream, upstreamModel }: OutKey): boolean {
  if (upstreamModel === null) return catalogue.upstreams.has(upstream);
  return [...catalogue.models.values()].some(({ routes }) =>
    routes.some((route) => route.upstream === upstream && route.model === upstreamModel),
  );
}

/** As the log has room for. */
const LONGEST_SUBJECT = 300;

function nameOf({ upstream, upstreamModel }: OutKey): string {
  const name = upstreamModel === null ? upstream : `${upstream}/${upstreamModel}`;
  return name.slice(0, LONGEST_SUBJECT);
}
