/** Counts what accounts spent into the sums that their pages show. */
import { createSpendFolder } from "../../business/panel/account/fold-spend.ts";
import { every } from "../every.ts";
import type { PanelWorkDeps } from "./panel-deps.ts";

/** So far the sums are behind, at most; pages add what is missing by themselves. */
const PAUSE_MS = 2_000;

/** To be stopped; what is under way is finished. */
export function workSpend(deps: PanelWorkDeps): { stop(): Promise<void> } {
  const folder = createSpendFolder(deps.db);
  return every(
    PAUSE_MS,
    async () => void (await folder.round()),
    (error) => deps.onError("spend could not be counted", error),
  );
}
