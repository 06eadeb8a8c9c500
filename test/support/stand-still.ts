/** A process that stood still for so long that others may believe it dead: what it knows is old. */
import type { TestContext } from "node:test";
import { OWNER_LEASE_MS } from "../../src/kernel/limits.ts";

/** From here on to the end of the test, monotonic time is ahead by the lease of a process. */
export function standStill(t: TestContext): void {
  const now = performance.now.bind(performance);
  t.mock.method(performance, "now", () => now() + OWNER_LEASE_MS);
}
