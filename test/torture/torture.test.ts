/**
 * Guarantee: whatever dies, stands still or breaks off, what clients got, what the upstream counted
 * and what the books say go together (contract §6); and the auditor that says so finds planted bugs.
 */
// Runs beside the others: it waits for the leases of killed processes, and for clients that pause.
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { RELEASE_ON_DISCONNECT, SETTLE_TWICE, TOTAL_IN_MEMORY, type Plant } from "./plants.ts";
import { tellSummary } from "./tell-summary.ts";
import { torture, type TortureOptions, type TortureSummary } from "./torture.ts";

const SEED = 20_261_124;

async function run(
  t: TestContext,
  options: Partial<TortureOptions> & { readonly seconds: number },
): Promise<TortureSummary> {
  const summary = await torture({
    seed: SEED,
    gateways: 2,
    faults: [],
    faultSeconds: 6,
    gapMs: 1_500,
    longestPauseMs: 1_500,
    drainMs: 3_000,
    quietWithinMs: 100_000,
    plant: null,
    databaseUrl: undefined,
    say: (line) => t.diagnostic(line),
    ...options,
  });
  t.diagnostic(tellSummary(summary));
  return summary;
}

test(
  "kills, pauses and cuts by a seed leave nothing that does not go together",
  { timeout: 240_000 },
  async (t) => {
    const { violations, faults, completed } = await run(t, {
      seconds: 12,
      faults: [
        "kill-mid-stream",
        "kill-after-statement",
        "kill-server",
        "kill-backend",
        "lost-answer",
        "pause",
        "clock",
        "latency",
        "cut",
      ],
    });
    assert.deepEqual(violations, []);
    assert.ok(faults.done.size >= 3 && completed > 10, "too little happened to prove anything");
  },
);

const PLANTS: readonly (readonly [plant: Plant, found: readonly string[]])[] = [
  [SETTLE_TWICE, ["ended twice"]],
  [RELEASE_ON_DISCONNECT, ["delivered and not charged"]],
  [TOTAL_IN_MEMORY, ["total is not its sum", "ledger verify"]],
];

for (const [plant, expected] of PLANTS) {
  test(`a planted bug is found: ${plant.name}`, { timeout: 120_000 }, async (t) => {
    const { violations } = await run(t, { seconds: 4, plant });
    const found = new Set(violations.map(({ what }) => what));
    for (const what of expected) assert.ok(found.has(what), `${what}: ${[...found].join(", ")}`);
  });
}
