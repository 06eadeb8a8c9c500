/** Everything that a run found out, as it is kept. */
import type { Machine } from "./describe-machine.ts";
import type { Judgement } from "./judge-budgets.ts";
import type { Findings } from "./run-measures.ts";

export interface Results extends Findings {
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly seconds: number;
  /** The commit of the other checkout that took part; null without one. */
  readonly against: string | null;
  readonly form: "full" | "quick" | "partial";
  readonly rounds: number;
  readonly machine: Machine;
  readonly judgements: readonly Judgement[];
}
