/** Adds up what a batch of holds asks of each account or budget, so that the database can grant the whole batch at a glance. */
import type { Uuid } from "../kernel/ids.ts";
import type { Nano } from "../kernel/money.ts";
import { ZERO_NANO, nano } from "../kernel/money.ts";
import type { HoldRequest } from "./hold-verdicts.ts";

/** What PostgreSQL's bigint can hold. */
const LARGEST_NANO = 9_223_372_036_854_775_807n;

/** The demand of all rows on one account or budget, if each gets the most that it asks for. */
export interface Demand {
  readonly id: Uuid;
  /** Of all its rows; null when they do not agree, which nothing matches, so that each row is judged by itself. */
  readonly accountId: Uuid | null;
  readonly sumNano: Nano;
  /**
   * The least room at which every row gets its most: a full amount wants four of itself after what earlier rows took.
   * Null when that is beyond what PostgreSQL can count: no room is enough, and each row is judged by itself.
   */
  readonly roomNano: Nano | null;
}

export interface GroupedDemand {
  /** Ascending by id, as PostgreSQL orders UUIDs. */
  readonly demands: readonly Demand[];
  /** Position in `demands` from 1; 0 for null. */
  at(id: Uuid | null): number;
}

export function groupDemand(requests: readonly HoldRequest[], idOf: (request: HoldRequest) => Uuid | null): GroupedDemand {
  const groups = new Map<Uuid, { id: Uuid; accountId: Uuid | null; sumNano: bigint; roomNano: bigint }>();
  for (const request of requests) {
    const id = idOf(request);
    if (id === null) continue;
    const { fullNano, sliceNano, accountId } = request;
    let group = groups.get(id);
    if (group === undefined) {
      group = { id, accountId, sumNano: 0n, roomNano: 0n };
      groups.set(id, group);
    }
    if (group.accountId !== accountId) group.accountId = null;
    const wanted = fullNano === null ? sliceNano : 4n * fullNano;
    const roomNano = group.sumNano + wanted;
    if (roomNano > group.roomNano) group.roomNano = roomNano;
    group.sumNano += fullNano ?? sliceNano;
  }
  const demands = [...groups.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1)).map(countable);
  const positions = new Map(demands.map((demand, index) => [demand.id, index + 1]));
  return { demands, at: (id) => (id === null ? 0 : (positions.get(id) ?? 0)) };
}

function countable(group: { id: Uuid; accountId: Uuid | null; sumNano: bigint; roomNano: bigint }): Demand {
  const { id, accountId, sumNano, roomNano } = group;
  return roomNano > LARGEST_NANO
    ? { id, accountId, sumNano: ZERO_NANO, roomNano: null }
    : { id, accountId, sumNano: nano(sumNano), roomNano: nano(roomNano) };
}
