/**
 * A gate: how many requests of one kind may wait for this process at once. What is beyond is
 * refused before anything of it is read.
 */
import type { TurnBudget } from "./turn-budget.ts";

export interface LoadShedderOptions {
  /** How many may wait at once, whatever else there is to do. */
  readonly most: number;
  /** Absent: the gate goes by its room alone. */
  readonly pressure?: Pressure;
}

/** What makes a gate narrower than its room. */
export interface Pressure {
  readonly turns: Pick<TurnBudget, "allows" | "pressed">;
  /** How many may wait while turns stay long. */
  readonly few: number;
  /** Connections of callers. Each has at most one request under way. */
  callers(): number;
  /** So many callers are too few to refuse: the process serves them all in less time than it takes to say no. */
  readonly fewCallers: number;
}

export interface LoadShedder {
  /** Whether one that has just arrived is too many: there is no room for it, or no time. */
  refuses(): boolean;
  /** Whether there is no room: asked once more of what has taken its time to come whole. */
  full(): boolean;
  enter(): void;
  leave(): void;
  /** How many wait now. */
  readonly waiting: number;
}

/**
 * Past its capacity a gateway that refuses no request serves none in time. A burst is let in as far
 * as there is room; but where turns of the event loop stay long, what is let in has to fit into
 * them.
 */
export function createLoadShedder({ most, pressure }: LoadShedderOptions): LoadShedder {
  let waiting = 0;

  function room(): number {
    if (pressure === undefined) return most;
    if (pressure.callers() <= pressure.fewCallers) return Infinity;
    return pressure.turns.pressed ? pressure.few : most;
  }

  return {
    refuses() {
      const allowed = pressure?.turns.allows() ?? true;
      const limit = room();
      return waiting >= limit || (!allowed && limit !== Infinity);
    },
    full: () => waiting >= room(),
    enter() {
      waiting += 1;
    },
    leave() {
      waiting -= 1;
    },
    get waiting() {
      return waiting;
    },
  };
}
