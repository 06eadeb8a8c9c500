/**
 * Shares an engine's room out among the lanes that have something due: each gets at most its own
 * bound, and kinds never more than theirs.
 */
import { kindOfLane, type LaneKind } from "../../tasks/lane.ts";
import type { DueLane } from "../../tasks/jobs.store.ts";
import type { EngineLimits } from "./advance-deps.ts";

export interface LaneBook {
  /** What may be leased now. `hungry`: something that is due finds no room. */
  share(lanes: readonly DueLane[]): {
    readonly orders: readonly LaneOrder[];
    readonly hungry: boolean;
  };
  enter(lane: string): void;
  leave(lane: string): void;
  /** Tasks under way, by kind. */
  readonly active: Readonly<Record<LaneKind, number>>;
}

export interface LaneOrder {
  readonly lane: string;
  readonly limit: number;
}

export function createLaneBook(limits: EngineLimits): LaneBook {
  const ofLane = new Map<string, number>();
  const active: Record<LaneKind, number> = { ingest: 0, submit: 0, poll: 0, collect: 0 };
  const most: Readonly<Record<LaneKind, { readonly ofLane: number; readonly ofKind: number }>> = {
    ingest: { ofLane: limits.ingestOfAccount, ofKind: limits.ingest },
    submit: { ofLane: limits.submitOfModel, ofKind: limits.submit },
    poll: { ofLane: limits.pollOfUpstream, ofKind: Infinity },
    collect: { ofLane: limits.collectOfUpstream, ofKind: limits.collect },
  };

  function roomOf(lane: string, kind: LaneKind): number {
    const running = ofLane.get(lane) ?? 0;
    // Polls come in large batches: a statement for each one that has ended would cost more than the
    // poll.
    if (kind === "poll" && running > most.poll.ofLane / 2) return 0;
    return most[kind].ofLane - running;
  }

  return {
    active,
    share(lanes) {
      const left = { ...active };
      const orders: LaneOrder[] = [];
      let hungry = false;
      for (const { lane, inMs } of lanes) {
        if (inMs > 0) break;
        const kind = kindOfLane(lane);
        const limit = Math.min(roomOf(lane, kind), most[kind].ofKind - left[kind]);
        if (limit <= 0) hungry = true;
        else {
          left[kind] += limit;
          orders.push({ lane, limit });
        }
      }
      return { orders, hungry };
    },
    enter(lane) {
      ofLane.set(lane, (ofLane.get(lane) ?? 0) + 1);
      active[kindOfLane(lane)] += 1;
    },
    leave(lane) {
      const running = (ofLane.get(lane) ?? 0) - 1;
      if (running === 0) ofLane.delete(lane);
      else ofLane.set(lane, running);
      active[kindOfLane(lane)] -= 1;
    },
  };
}
