/** Sends the mail that waits. */
import type { PanelWorkDeps } from "./panel-deps.ts";

/** To be stopped; what is under way is finished. */
export function workMail(_deps: PanelWorkDeps): { stop(): Promise<void> } {
  return { stop: async () => undefined };
}
