/**
 * A process with pipelines of its own, driven over IPC by tests that need several gateways' worth
 * of money movement, or need to kill one.
 */
import { openDatabase } from "../../src/db/database.ts";
import { createSettlePipeline } from "../../src/serving/money/settle-pipeline.ts";
import type { Uuid } from "../../src/kernel/ids.ts";
import type { Nano } from "../../src/kernel/money.ts";
import { registerOwner } from "../../src/ledger/owners.store.ts";
import { exactHold } from "./ledger-world.ts";

export type WorkerOrder =
  /**
   * Holds `count` times `amount` at once, in the budget if one is given, and reports the verdicts.
   */
  | {
      readonly kind: "race";
      readonly accountId: Uuid;
      readonly budgetId: Uuid | null;
      readonly amount: string;
      readonly count: number;
    }
  /** Holds, extends and settles without end on random accounts, reporting what was acknowledged. */
  | {
      readonly kind: "load";
      readonly ownerId: Uuid;
      readonly accountIds: readonly Uuid[];
      readonly clients: number;
    }
  | { readonly kind: "stop" };

export type WorkerReport =
  | { readonly kind: "ready" }
  | {
      readonly kind: "raced";
      readonly verdicts: Record<string, number>;
      readonly holdIds: readonly Uuid[];
    }
  | { readonly kind: "held"; readonly holdId: Uuid }
  | { readonly kind: "settled"; readonly holdId: Uuid; readonly charged: string }
  | { readonly kind: "error"; readonly message: string };

const url = process.argv[2] ?? "";
const report = (message: WorkerReport): void => {
  process.send?.(message);
};
const onError = (error: unknown): void => report({ kind: "error", message: String(error) });
const pipeline = createSettlePipeline({
  url,
  applicationName: `hold worker ${process.pid}`,
  onError,
  onParked: onError,
});
let stopping = false;

async function race(order: Extract<WorkerOrder, { kind: "race" }>): Promise<void> {
  const requests = Array.from({ length: order.count }, () =>
    exactHold(order.accountId, BigInt(order.amount), { budgetId: order.budgetId }),
  );
  const verdicts: Record<string, number> = {};
  const holdIds: Uuid[] = [];
  await Promise.all(
    requests.map(async (request) => {
      const verdict = await pipeline.hold(request);
      verdicts[verdict.kind] = (verdicts[verdict.kind] ?? 0) + 1;
      if (verdict.kind === "held") holdIds.push(request.holdId);
    }),
  );
  report({ kind: "raced", verdicts, holdIds });
}

const pick = (count: number): number => Math.floor(Math.random() * count);

async function client(order: Extract<WorkerOrder, { kind: "load" }>): Promise<void> {
  while (!stopping) {
    const accountId = order.accountIds[pick(order.accountIds.length)] ?? "";
    const request = exactHold(accountId, BigInt(1 + pick(50)), { ownerId: order.ownerId });
    const verdict = await pipeline.hold(request);
    if (verdict.kind !== "held") continue;
    const { holdId } = request;
    report({ kind: "held", holdId });
    const add = BigInt(pick(30)) as Nano;
    await pipeline.extend({
      holdId,
      addNano: add,
      recordedNano: BigInt(pick(20)) as Nano,
      detail: "{}",
    });
    const settled = await pipeline.settle({
      holdId,
      chargeNano: BigInt(pick(60)) as Nano,
      lossNano: 0n as Nano,
      receipt: null,
    });
    if (settled.kind === "settled")
      report({ kind: "settled", holdId, charged: settled.chargedNano.toString() });
    else report({ kind: "error", message: `${settled.kind} instead of settled` });
  }
}

async function load(order: Extract<WorkerOrder, { kind: "load" }>): Promise<void> {
  const db = openDatabase({ url, poolSize: 1, applicationName: "hold worker", onError });
  await registerOwner(db, order.ownerId);
  await db.close();
  await Promise.all(Array.from({ length: order.clients }, () => client(order)));
  await pipeline.close();
  process.disconnect?.();
}

process.on("message", (order: WorkerOrder) => {
  if (order.kind === "stop") stopping = true;
  else (order.kind === "race" ? race(order) : load(order)).catch(onError);
});
// A test that ended, however it ended, leaves no worker behind.
process.on("disconnect", () => process.exit());
report({ kind: "ready" });
