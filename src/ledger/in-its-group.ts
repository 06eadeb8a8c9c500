/**
 * Asks for a hold in the group in which its budget lies: what a process remembers of it may be from
 * before a move.
 */
import { Fault } from "../kernel/faults.ts";
import type { Uuid } from "../kernel/ids.ts";
import type { Moved } from "./hold-verdicts.ts";

/** A budget is moved by people. */
const MOST_MOVES = 4;

export async function inItsGroup<Request extends { readonly groupId: Uuid | null }, Verdict>(
  request: Request,
  groupOf: (request: Request) => Promise<Uuid | null>,
  ask: (request: Request) => Promise<Verdict | Moved>,
): Promise<Verdict> {
  let { groupId } = request;
  for (let moves = 0; moves < MOST_MOVES; moves++) {
    const verdict = await ask(groupId === request.groupId ? request : { ...request, groupId });
    if (!isMoved(verdict)) return verdict;
    groupId = await groupOf(request);
  }
  throw new Fault("overloaded", { retryAfterSeconds: 1 });
}

function isMoved<Verdict>(verdict: Verdict | Moved): verdict is Moved {
  return (verdict as { readonly kind?: unknown }).kind === "moved";
}
