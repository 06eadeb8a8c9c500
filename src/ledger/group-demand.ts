/** Adds up what a batch of holds asks of each account or budget, so that the database can grant the whole batch at a glance. */
import type { Uuid } from "../kernel/ids.ts";
import type { Nano } from "../kernel/money.ts";
import { ZERO_NANO, maxNano, minNano } from "../kernel/money.ts";
import type { HoldRequest } from "./ledger-types.ts";

/** What PostgreSQL's bigint can hold. */
const LARGEST_NANO = 9_223_372_036_854_775_807n as Nano;

/** The demand of all rows on one account or budget, if each gets the most that it asks for. */
export interface Demand {
  readonly id: Uuid;
  readonly accountId: Uuid;
  readonly sumNano: Nano;
  /** The least room at which every row gets its most: a full amount wants four of itself after what earlier rows took. */
  readonly roomNano: Nano;
}

export interface GroupedDemand {
  /** Ascending by id, as PostgreSQL orders UUIDs. */
  readonly demands: readonly Demand[];
  /** Position in `demands` from 1; 0 for null. */
  at(id: Uuid | null): number;
}

export function groupDemand(requests: readonly HoldRequest[], idOf: (request: HoldRequest) => Uuid | null): GroupedDemand {
  const groups = new Map<Uuid, { id: Uuid; accountId: Uuid; sumNano: Nano; roomNano: Nano }>();
  for (const request of requests) {
    const id = idOf(request);
    if (id === null) continue;
    const { fullNano, sliceNano, accountId } = request;
    let group = groups.get(id);
    if (group === undefined) {
      group = { id, accountId, sumNano: ZERO_NANO, roomNano: ZERO_NANO };
      groups.set(id, group);
    }
    const wanted = fullNano === null ? sliceNano : 4n * fullNano;
    group.roomNano = maxNano(group.roomNano, capped(group.sumNano + wanted));
    group.sumNano = capped(group.sumNano + (fullNano ?? sliceNano));
  }
  const demands = [...groups.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const positions = new Map(demands.map((demand, index) => [demand.id, index + 1]));
  return { demands, at: (id) => (id === null ? 0 : (positions.get(id) ?? 0)) };
}

/** No account has that much: a demand beyond the database's range is refused at a glance, and then decided row by row. */
function capped(amount: bigint): Nano {
  return minNano(amount as Nano, LARGEST_NANO);
}
