/** How long a gateway is asked before it is measured: what counts is one that serves. */
import type { Stage } from "../stage.ts";

/** V8 goes on optimizing for some ten thousand requests, or chunks. */
const SECONDS = 8;
const QUICK_SECONDS = 2;

export function warmUpSeconds({ quick }: Pick<Stage, "quick">): number {
  return quick ? QUICK_SECONDS : SECONDS;
}
