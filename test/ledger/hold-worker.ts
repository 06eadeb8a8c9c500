/**
 * A process with a pipeline of its own, driven over IPC by tests that need several gateways' worth
 * of money movement, or need to kill one.
 */
import { openDatabase } from "../../src/db/database.ts";
import { listen } from "../../src/db/listen.ts";
import { createSettlePipeline } from "../../src/serving/money/settle-pipeline.ts";
import type { Uuid } from "../../src/kernel/ids.ts";
import type { Nano } from "../../src/kernel/money.ts";
import { registerOwner } from "../../src/ledger/owners.store.ts";
import { RECALL_CHANNEL } from "../../src/ledger/recalls.store.ts";
import type { HoldRequest } from "../../src/ledger/hold-verdicts.ts";
import { exactHold } from "./ledger-world.ts";

export type WorkerOrder =
  /**
   * Holds `count` times `amount` at once, in the budget if one is given, and reports the verdicts.
   */
  | {
      readonly kind: "race";
      readonly accountId: Uuid;
      readonly budgetId: Uuid | null;
      /** In which the budget lies, as far as this process knows; absent: in none. */
      readonly groupId?: Uuid | null;
      readonly amount: string;
      readonly count: number;
    }
  /** Ends everything that the races hold at this charge. */
  | { readonly kind: "settle"; readonly charge: string }
  /** Holds, extends and settles without end on random accounts, reporting what was acknowledged. */
  | {
      readonly kind: "load";
      readonly accountIds: readonly Uuid[];
      readonly clients: number;
    }
  | { readonly kind: "stop" };

export type WorkerReport =
  /** It hears of recalls. */
  | { readonly kind: "ready" }
  | {
      readonly kind: "raced";
      readonly verdicts: Record<string, number>;
    }
  | { readonly kind: "ended"; readonly charged: string }
  | { readonly kind: "held"; readonly holdId: Uuid }
  /** What was recorded is durable; it is about to be ended at `charge`. */
  | {
      readonly kind: "noted";
      readonly holdId: Uuid;
      readonly heldNano: string;
      readonly recorded: string;
      readonly charge: string;
    }
  | { readonly kind: "settled"; readonly holdId: Uuid; readonly charged: string }
  | { readonly kind: "error"; readonly message: string };

const [, , url = "", ownerId = ""] = process.argv;
const report = (message: WorkerReport): void => {
  process.send?.(message);
};
const onError = (error: unknown): void => report({ kind: "error", message: String(error) });
const db = openDatabase({ url, poolSize: 2, applicationName: "hold worker", onError });
const pipeline = createSettlePipeline({
  url,
  db,
  ownerId,
  applicationName: `hold worker ${process.pid}`,
  onError,
});
const listener = listen({
  url,
  channels: [RECALL_CHANNEL],
  onMessage: (_, accountId) => pipeline.recall(accountId),
  onConnected() {
    pipeline.recall(null);
    report({ kind: "ready" });
  },
  onError,
});
const raced: HoldRequest[] = [];
let stopping = false;

async function race(order: Extract<WorkerOrder, { kind: "race" }>): Promise<void> {
  const { accountId, budgetId, groupId = null } = order;
  const requests = Array.from({ length: order.count }, () =>
    exactHold(accountId, BigInt(order.amount), { budgetId, groupId }),
  );
  const verdicts: Record<string, number> = {};
  await Promise.all(
    requests.map(async (request) => {
      const verdict = await pipeline.hold(request);
      verdicts[verdict.kind] = (verdicts[verdict.kind] ?? 0) + 1;
      if (verdict.kind === "held") raced.push(request);
    }),
  );
  report({ kind: "raced", verdicts });
}

async function settleAll(charge: bigint): Promise<void> {
  const verdicts = await Promise.all(
    raced
      .splice(0)
      .map(({ accountId, holdId }) =>
        pipeline.settle({ accountId, holdId, chargeNano: charge as Nano, ...NOTHING_ELSE }),
      ),
  );
  let charged = 0n;
  for (const verdict of verdicts) if (verdict.kind === "settled") charged += verdict.chargedNano;
  report({ kind: "ended", charged: charged.toString() });
}

const NOTHING_ELSE = { lossNano: 0n as Nano, receipt: null };
const pick = (count: number): number => Math.floor(Math.random() * count);

async function client(order: Extract<WorkerOrder, { kind: "load" }>): Promise<void> {
  while (!stopping) {
    const accountId = order.accountIds[pick(order.accountIds.length)] ?? "";
    const request = exactHold(accountId, BigInt(1 + pick(50)));
    const verdict = await pipeline.hold(request);
    if (verdict.kind !== "held") continue;
    const { holdId } = request;
    report({ kind: "held", holdId });
    const [addNano, recordedNano] = [BigInt(pick(30)) as Nano, BigInt(pick(20)) as Nano];
    const chargeNano = BigInt(pick(60)) as Nano;
    if (addNano > 0n) await pipeline.extend({ holdId, addNano, recordedNano, detail: "{}" });
    const noted = await pipeline.extend({
      holdId,
      addNano: 0n as Nano,
      recordedNano,
      detail: "{}",
    });
    if (noted.kind === "extended")
      report({
        kind: "noted",
        holdId,
        heldNano: noted.heldNano.toString(),
        recorded: recordedNano.toString(),
        charge: chargeNano.toString(),
      });
    const settled = await pipeline.settle({ accountId, holdId, chargeNano, ...NOTHING_ELSE });
    if (settled.kind === "settled")
      report({ kind: "settled", holdId, charged: settled.chargedNano.toString() });
    else report({ kind: "error", message: `${settled.kind} instead of settled` });
  }
}

async function load(order: Extract<WorkerOrder, { kind: "load" }>): Promise<void> {
  await registerOwner(db, ownerId);
  await Promise.all(Array.from({ length: order.clients }, () => client(order)));
  await pipeline.close();
  await listener.close();
  await db.close();
  process.disconnect?.();
}

function carryOut(order: Exclude<WorkerOrder, { kind: "stop" }>): Promise<void> {
  if (order.kind === "race") return race(order);
  return order.kind === "settle" ? settleAll(BigInt(order.charge)) : load(order);
}

process.on("message", (order: WorkerOrder) => {
  if (order.kind === "stop") stopping = true;
  else carryOut(order).catch(onError);
});
// A test that ended, however it ended, leaves no worker behind.
process.on("disconnect", () => process.exit());
