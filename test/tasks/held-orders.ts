/**
 * Orders that no worker takes: what is taken has to hold its quote and nothing else, what is
 * refused has to say why and hold nothing.
 */
import assert from "node:assert/strict";
import { TaskErrorBody } from "../../src/contract/error-bodies.ts";
import { createMistakeFinder } from "../../src/contract/find-mistakes.ts";
import type { TaskTableId } from "../../src/contract/tasks/task-table.ts";
import { formatRoubles, type Nano } from "../../src/kernel/money.ts";
import { balance } from "../../src/ledger/accounts.store.ts";
import type { TaskCustomer, TasksScene } from "./tasks-scene.ts";

export interface HeldOrders {
  /** Orders of this one are taken. */
  readonly customer: TaskCustomer;
  /** Quotes it, orders it, and insists on a queued task at that quote. */
  taken(table: TaskTableId, parameters: Readonly<Record<string, unknown>>): Promise<void>;
  /**
   * Insists on a 400 with exactly these mistakes, as `param code`, and the first of them as the one
   * at fault.
   */
  refused(
    table: TaskTableId,
    parameters: Readonly<Record<string, unknown>>,
    mistakes: readonly string[],
  ): Promise<void>;
  /** After all of them: the money, to the last nano-rouble. */
  assertHolds(): Promise<void>;
}

const ROUBLES = "10000000";

export async function openHeldOrders(scene: TasksScene): Promise<HeldOrders> {
  const [customer, refusedOne] = [await scene.customer(ROUBLES), await scene.customer(ROUBLES)];
  const models = await taskModels(scene, customer);
  /** By task, in roubles. */
  const quotes = new Map<string, string>();
  const mistakesOfRefusal = createMistakeFinder(TaskErrorBody);

  function modelOf(table: TaskTableId): string {
    const model = models.get(table);
    assert.ok(model !== undefined, `${table} is for sale`);
    return model;
  }

  return {
    customer,
    async taken(table, parameters) {
      const model = modelOf(table);
      const body = jsonOf(parameters);
      const shown = `${table} ${body.slice(0, 300)}`;
      const quote = await customer.call<{ amount: string; admitted: boolean }>(
        "POST",
        `/v1/quote/tasks/${model}`,
        body,
      );
      assert.deepEqual([quote.status, quote.data.admitted], [200, true], `${shown}\n${quote.text}`);
      const answer = await customer.call<{ taskId: string; state: string }>(
        "POST",
        `/v1/tasks/${model}`,
        body,
      );
      assert.deepEqual(
        [answer.status, answer.data.state],
        [200, "queued"],
        `${shown}\n${answer.text}`,
      );
      assert.match(answer.data.taskId, /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      assert.equal(answer.headers.get("x-tollgate-cost"), quote.data.amount, shown);
      quotes.set(answer.data.taskId, quote.data.amount);
    },
    async refused(table, parameters, mistakes) {
      const body = jsonOf(parameters);
      const shown = `${table} ${body.slice(0, 300)}`;
      const answer = await refusedOne.call("POST", `/v1/tasks/${modelOf(table)}`, body);
      assert.equal(answer.status, 400, `${shown}\n${answer.text}`);
      const reported = answer.errors.map(({ param, code }) => `${param} ${code}`);
      assert.deepEqual(reported, mistakes, `${shown}\n${answer.text}`);
      assert.deepEqual(mistakesOfRefusal(JSON.parse(answer.text)), []);
      for (const { message } of answer.errors) assert.match(message, /^\P{Cc}{10,900}[.?]$/u);
    },
    async assertHolds() {
      const holds = await scene.db.query<{ taskId: string; heldNano: Nano }>(
        `SELECT hold_id AS "taskId", held_nano AS "heldNano" FROM ledger.holds WHERE account_id = ANY ($1::uuid[])`,
        [[customer.accountId, refusedOne.accountId]],
      );
      assert.equal(holds.length, quotes.size);
      assert.deepEqual(
        holds.filter(({ taskId, heldNano }) => formatRoubles(heldNano) !== quotes.get(taskId)),
        [],
      );
      const sumNano = holds.reduce((sum, { heldNano }) => sum + heldNano, 0n);
      for (const [{ accountId }, heldNano] of [
        [customer, sumNano],
        [refusedOne, 0n],
      ] as const) {
        const books = await balance(scene.db, accountId);
        assert.ok(books !== null);
        assert.deepEqual(
          [books.heldNano, books.chargedNano, books.balanceNano - books.availableNano],
          [heldNano, 0n, heldNano],
        );
        assert.equal(formatRoubles(books.balanceNano), ROUBLES);
      }
      await scene.assertBooks();
    },
  };
}

/** Ids by table. */
async function taskModels(
  scene: TasksScene,
  { secret }: TaskCustomer,
): Promise<ReadonlyMap<string, string>> {
  const listed = await fetch(`${scene.url}/v1/models`, { headers: { "x-api-key": secret } });
  const { data } = (await listed.json()) as {
    data: { id: string; type: string; parameters?: string }[];
  };
  return new Map(
    data.filter(({ type }) => type === "task").map(({ id, parameters }) => [parameters ?? "", id]),
  );
}

/** JSON has no infinity, but it has numbers too large for a double. */
function jsonOf(parameters: Readonly<Record<string, unknown>>): string {
  const mark = "(beyond every double)";
  return JSON.stringify(parameters, (_, value: unknown) =>
    value === Infinity ? mark : value,
  ).replaceAll(`"${mark}"`, "1e999");
}
