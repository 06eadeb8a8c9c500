/** A process that stands still, as one does on a machine that is suspended or swaps. */
import type { Gateway } from "../support/gateway-process.ts";

/** Until it is told to go on, or the test is over. */
export function halt(gateway: Gateway): Disposable & { goOn(): void } {
  gateway.signal("SIGSTOP");
  const goOn = (): void => gateway.signal("SIGCONT");
  return { goOn, [Symbol.dispose]: goOn };
}
