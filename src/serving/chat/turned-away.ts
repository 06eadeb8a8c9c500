/** What a request is told that this process does not serve, or gave up. */
import { Fault } from "../../kernel/faults.ts";

// Made once: who is refused because there is too much to do should cost little.
export const RESTARTING = new Fault("overloaded", {
  retryAfterSeconds: 1,
  message: "The gateway is restarting. Try again.",
});
export const OVERLOADED = new Fault("overloaded", {
  retryAfterSeconds: 1,
  message: "The gateway has more requests than it can serve in time. Try again.",
});
export const STOOD_STILL = new Fault("overloaded", {
  retryAfterSeconds: 1,
  message: "The gateway stood still for so long that it had to give this request up. Try again.",
});
