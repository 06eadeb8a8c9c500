/**
 * Adds up what a batch of holds asks of each account or budget, so that the database can grant the
 * whole batch at a glance.
 */
import type { Uuid } from "../kernel/ids.ts";
import type { HoldRequest } from "./hold-verdicts.ts";

/** What PostgreSQL's bigint can hold. */
const LARGEST_NANO = 9_223_372_036_854_775_807n;

/** A full amount is held only where this many of it are free. */
const FULL_TIMES = 4n;

/** The demand of all rows on one account or budget, if each gets the most that it asks for. */
export interface Demand {
  readonly id: Uuid;
  /**
   * Of all its rows; null when they do not agree, which nothing matches, so that each row is judged
   * by itself.
   */
  accountId: Uuid | null;
  sumNano: bigint;
  /**
   * The least room at which every row gets its most: a full amount wants four of itself after what
   * earlier rows took. Null when that is beyond what PostgreSQL can count: no room is enough, and
   * each row is judged by itself.
   */
  roomNano: bigint | null;
  /** In the order of ids, from 1. */
  position: number;
}

export interface GroupedDemand {
  /** Ascending by id, as PostgreSQL orders UUIDs. */
  readonly demands: readonly Demand[];
  /** Of each request, aligned; 0 for one without an id. */
  readonly positions: readonly number[];
}

export function groupDemand(
  requests: readonly HoldRequest[],
  idOf: (request: HoldRequest) => Uuid | null,
): GroupedDemand {
  const groups = new Map<Uuid, Demand>();
  const demands: Demand[] = [];
  const own: (Demand | null)[] = [];
  for (const request of requests) {
    const id = idOf(request);
    if (id === null) {
      own.push(null);
      continue;
    }
    let demand = groups.get(id);
    if (demand === undefined) {
      demand = { id, accountId: request.accountId, sumNano: 0n, roomNano: 0n, position: 0 };
      groups.set(id, demand);
      demands.push(demand);
    }
    own.push(demand);
    add(demand, request);
  }
  demands.sort((a, b) => (a.id < b.id ? -1 : 1));
  for (const [index, demand] of demands.entries()) demand.position = index + 1;
  return { demands, positions: own.map((demand) => demand?.position ?? 0) };
}

/**
 * What must be free for a request to get its most; null when that is beyond what PostgreSQL can
 * count: no room is enough.
 */
export function roomFor({ fullNano, sliceNano }: HoldRequest): bigint | null {
  const roomNano = fullNano === null ? sliceNano : FULL_TIMES * fullNano;
  return roomNano > LARGEST_NANO ? null : roomNano;
}

function add(demand: Demand, { accountId, fullNano, sliceNano }: HoldRequest): void {
  if (demand.accountId !== accountId) demand.accountId = null;
  if (demand.roomNano === null) return;
  const roomNano = demand.sumNano + (fullNano === null ? sliceNano : FULL_TIMES * fullNano);
  if (roomNano > demand.roomNano) demand.roomNano = roomNano;
  demand.sumNano += fullNano ?? sliceNano;
  if (demand.roomNano <= LARGEST_NANO) return;
  demand.roomNano = null;
  demand.sumNano = 0n;
}
