/**
 * Accounts with keys and traffic of their own on a real database, and the panel's account pages
 * over them.
 */
import { parseCatalogue } from "../../src/catalogue/parse-catalogue.ts";
import { appendVersion } from "../../src/catalogue/store.ts";
import type { Db } from "../../src/db/database.ts";
import { openDatabase } from "../../src/db/database.ts";
import { accountRoutes } from "../../src/http/panel/account-routes.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { newUuid } from "../../src/kernel/ids.ts";
import { nano, ZERO_NANO } from "../../src/kernel/money.ts";
import { NO_USAGE, type TokenUsage } from "../../src/kernel/token-usage.ts";
import type { KeyRecord } from "../../src/keys/key-record.ts";
import { holdIn, settleIn } from "../../src/ledger/holds.store.ts";
import type { HoldVerdict } from "../../src/ledger/hold-verdicts.ts";
import { createPriceHistory } from "../../src/business/requests/price-history.ts";
import { checkUrl } from "../../src/net/check-url.ts";
import { insertTask } from "../../src/tasks/tasks.store.ts";
import { booksOf, listsOf } from "./books-of.ts";
import { testDatabase } from "./database.ts";
import { endHold } from "./book-receipts.ts";
import { newAccount, newKey } from "./new-customer.ts";
import { noBatches } from "./no-batches.ts";
import { openPanelEndpoint, type PanelEndpoint } from "./panel-endpoint.ts";
import { receiptFigures } from "../../src/usage/receipt-figures.ts";

const CATALOGUE = `
families: { prefix: claude, large: { match: opus, model: sandbox-large } }
upstreams:
  up: { protocol: openai, baseUrl: "https://up.example", apiKeyEnv: KEY }
  media: { protocol: kie, baseUrl: "https://media.example", apiKeyEnv: KEY }
models:
  sandbox-large:
    { type: chat, endpoints: [chat.completions, messages], contextTokens: 200000, maxOutputTokens: 32000, price: { input: "150", output: "600", cachedInput: "15" }, routes: [ { upstream: up, model: m } ] }
  seedance-2:
    { type: task, parameters: T9, deadlineSeconds: 60, price: { unit: second, quantity: duration, amount: { by: resolution, values: { 480p: "4", 720p: "8", 1080p: "16" } }, multiply: [ { when: { generateAudio: true }, by: "2" } ] }, routes: [ { upstream: media, model: m } ] }
`;

export interface ChatAbout {
  readonly chargeNano: bigint;
  readonly holdNano?: bigint;
  readonly usage?: TokenUsage;
  readonly state?: string;
  readonly detail?: Readonly<Record<string, unknown>>;
}

export interface AccountScene {
  readonly url: string;
  readonly db: Db;
  readonly endpoint: PanelEndpoint;
  /** A second process, as far as the database can tell. */
  otherDb(): Db;
  account(roubles?: string): Promise<string>;
  key(accountId: string): Promise<{ secret: string; key: KeyRecord }>;
  /** Asks the ledger for money through a key, as an admitted request does. */
  hold(key: KeyRecord, holdNano: bigint, holdId?: string): Promise<HoldVerdict>;
  /** A chat request, held and settled with its receipt. Returns its id. */
  chat(key: KeyRecord, about: ChatAbout): Promise<string>;
  /** A task that came to its end. Returns its id. */
  task(key: KeyRecord, priceNano: bigint, end: "completed" | "failed"): Promise<string>;
  close(): Promise<void>;
}

export async function openAccountScene(): Promise<AccountScene> {
  const database = await testDatabase();
  const { db, url } = database;
  const others: Db[] = [];
  const reading = parseCatalogue(CATALOGUE, { KEY: "x" });
  if (!reading.ok) throw new Error(JSON.stringify(reading.mistakes));
  const { version } = await db.transaction((tx) =>
    appendVersion(tx, { source: CATALOGUE, origin: "apply", appliedBy: "test" }),
  );
  const catalogue = {
    current: () => ({ version, catalogue: reading.catalogue }),
    refresh: async () => undefined,
    close: () => undefined,
  };
  const orders = {
    db,
    catalogue,
    staticUrl: () => "https://files.example/static",
    checkUrl: (text: string) => checkUrl(text, { allow: [] }),
  };
  const routes = accountRoutes({
    db,
    clock: systemClock,
    books: booksOf(db),
    lists: listsOf(db),
    prices: createPriceHistory(db, { KEY: "x" }),
    catalogue,
    modelStatus: () => Promise.resolve(null),
    tasks: orders,
    batches: noBatches(db).batches,
  });
  const endpoint = await openPanelEndpoint(routes);

  function hold(
    { accountId, keyId }: KeyRecord,
    holdNano: bigint,
    holdId = newUuid(),
    reference = `request:${holdId}`,
  ): Promise<HoldVerdict> {
    const amounts = { fullNano: null, sliceNano: nano(holdNano), minimumNano: nano(holdNano) };
    const head = {
      holdId,
      accountId,
      budgetId: keyId,
      groupId: null,
      priceVersion: version,
      reference,
      detail: "{}",
    };
    return db.transaction((tx) => holdIn(tx, { ...head, ...amounts }));
  }

  return {
    url,
    db,
    endpoint,
    otherDb() {
      const other = openDatabase({
        url,
        poolSize: 4,
        applicationName: "another process",
        onError: () => undefined,
      });
      others.push(other);
      return other;
    },
    account: (roubles) => newAccount(db, roubles),
    key: (accountId) => newKey(db, accountId),
    hold,
    async chat(
      key,
      {
        chargeNano,
        holdNano = chargeNano + 7n,
        usage = NO_USAGE,
        state = "completed",
        detail = {},
      },
    ) {
      const requestId = newUuid();
      await hold(key, holdNano, requestId);
      await endHold(db, {
        requestId,
        accountId: key.accountId,
        keyId: key.keyId,
        receipt: {
          endpoint: "messages",
          modelRequested: "claude-opus-4",
          model: "sandbox-large",
          state,
          startedAt: new Date(),
          durationMs: 5,
          firstMs: null,
          figures: receiptFigures(usage, null, null),
          detail: { stream: true, usage, usageSource: "upstream", ...detail },
        },
        heldNano: nano(holdNano),
        chargeNano: nano(chargeNano),
        priceVersion: version,
      });
      return requestId;
    },
    async task(key, priceNano, end) {
      const taskId = newUuid();
      const { accountId, keyId } = key;
      await hold(key, priceNano, taskId, `task:${taskId}`);
      await db.transaction(async (tx) => {
        await insertTask(tx, {
          taskId,
          accountId,
          keyId,
          requestId: newUuid(),
          model: "seedance-2",
          parameterTable: "T9",
          parameters: { prompt: "a cat", duration: 5, resolution: "720p", generateAudio: true },
          hasMedia: false,
          callbackUrl: null,
          priceVersion: version,
          priceNano: nano(priceNano),
          priceByFilesNano: null,
          deadlineSeconds: 60,
        });
        await tx.query("DELETE FROM tasks.jobs WHERE task_id = $1", [taskId]);
        const chargeNano = end === "completed" ? nano(priceNano) : ZERO_NANO;
        await tx.query(
          end === "completed"
            ? `UPDATE tasks.tasks SET state = 'completed', cost_state = 'charged', charged_nano = price_nano, completed_at = clock_timestamp(),
                 result = '{"files": [{"name": "a"}]}', attempts = 1 WHERE task_id = $1`
            : `UPDATE tasks.tasks SET state = 'failed', cost_state = 'released', completed_at = clock_timestamp(), error_code = 'provider_error',
                 error_message = 'The provider failed to make it.', attempts = 2 WHERE task_id = $1`,
          [taskId],
        );
        await settleIn(
          tx,
          { accountId, holdId: taskId, chargeNano, lossNano: ZERO_NANO },
          {
            model: "seedance-2",
            state: end,
            startedAt: new Date(),
            upstream: null,
            costNano: null,
          },
        );
      });
      return taskId;
    },
    async close() {
      await endpoint.close();
      for (const other of others) await other.close();
      await database.drop();
    },
  };
}
