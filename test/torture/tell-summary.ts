/** The last words of a run: what was done, what was found, and how to have it again. */
import type { TortureSummary } from "./torture.ts";
import { tellViolation } from "./violation.ts";

const SHOWN = 20;

export function tellSummary(summary: TortureSummary): string {
  const { faults, violations } = summary;
  const done = [...faults.done].map(([kind, count]) => `${kind} ${count}`).toSorted();
  const kills = [...faults.done]
    .filter(([kind]) => kind.startsWith("kill"))
    .reduce((sum, [, count]) => sum + count, 0);
  const all = [...faults.done.values()].reduce((sum, count) => sum + count, 0);
  return [
    ...violations.slice(0, SHOWN).map(tellViolation),
    ...(violations.length > SHOWN ? [`… and ${violations.length - SHOWN} more`] : []),
    `seed ${summary.seed}, ${summary.seconds} s, quiet after ${(summary.quietMs / 1000).toFixed(1)} s more`,
    `faults: ${done.join(", ") || "none"}; ${faults.skipped} passed over`,
    `requests ${summary.requests} (attempts ${summary.attempts}, complete ${summary.completed}, without an answer ${summary.unanswered}), tasks ${summary.tasks}, top-ups ${summary.topUps}, accounts and keys run dry ${summary.dry}`,
    `calls of the upstream ${summary.upstreamCalls}, entries ${summary.entries}, looks at the balances ${summary.samples}`,
    `${kills} kills, ${all} faults, ${summary.requests + summary.tasks} requests, ${violations.length} violations`,
  ].join("\n");
}
