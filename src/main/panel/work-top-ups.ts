/** Asks payment providers about top-ups that nobody reported. */
import type { PanelWorkDeps } from "./panel-deps.ts";

/** To be stopped; what is under way is finished. */
export function workTopUps(_deps: PanelWorkDeps): { stop(): Promise<void> } {
  return { stop: async () => undefined };
}
