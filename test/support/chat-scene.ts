/**
 * One gateway process on a database of its own, before a scripted upstream: the stage of the
 * end-to-end tests of chat.
 */
import { randomUUID } from "node:crypto";
import type { Db } from "../../src/db/database.ts";
import { createAccount } from "../../src/business/accounts/create-account.ts";
import { verifyLedger } from "../../src/business/operate/verify-ledger.ts";
import type { NewKeyRequest } from "../../src/business/keys/create-key.ts";
import { parseRequestId } from "../../src/kernel/ids.ts";
import type { Nano } from "../../src/kernel/money.ts";
import type { KeyRecord } from "../../src/keys/key-record.ts";
import { balance } from "../../src/ledger/accounts.store.ts";
import { postAll } from "../../src/ledger/journals.store.ts";
import { listEntries, type Entry } from "../../src/ledger/entries.store.ts";
import type { StoredReceipt } from "../../src/usage/receipt-row.ts";
import { listRequests } from "../../src/usage/list-receipts.store.ts";
import { findAnyRequest } from "../../src/usage/receipts.store.ts";
import { wholeReceipt } from "./whole-receipt.ts";
import { testDatabase } from "./database.ts";
import { startGateway, type Gateway } from "./gateway-process.ts";
import { newAccount, newKey } from "./new-customer.ts";
import {
  startScriptedUpstream,
  type Exchange,
  type Handler,
  type RecordedRequest,
  type ScriptedUpstream,
} from "./scripted-upstream.ts";
import type { Settings } from "./tollgate-environment.ts";
import { until } from "./until.ts";

/** What the upstream must be shown, and no other party. */
export const UPSTREAM_CREDENTIAL = "sk-operators-own-0123456789abcdef";

/** Roubles per 1M tokens, so nano-roubles per 1,000 tokens are these × 1,000,000. */
const PRICE = { input: 150, cachedInput: 15, output: 600 };

/**
 * What so many tokens of `standard` cost: every count is priced apart, and these prices come out in
 * whole nano-roubles.
 */
export function standardPrice(tokens: {
  readonly input: number;
  readonly cached?: number;
  readonly output: number;
}): bigint {
  return (
    BigInt(
      tokens.input * PRICE.input +
        (tokens.cached ?? 0) * PRICE.cachedInput +
        tokens.output * PRICE.output,
    ) * 1000n
  );
}

const CONTEXT_TOKENS = 20_000;
export const MAX_OUTPUT_TOKENS = 8000;

/**
 * `standard` at an upstream that is left when its client leaves, `drained` at one that is read to
 * its usage, `impatient` with short timeouts; `backed` has a second route after an impatient first,
 * `orphaned` one after an upstream that does not run.
 */
function catalogueOf(upstreamUrl: string): string {
  const upstream = (rest: string): string =>
    `{ protocol: openai, baseUrl: "${upstreamUrl}/v1", apiKeyEnv: UPSTREAM_KEY, maxConcurrent: 1000${rest} }`;
  const route = (name: string, model: string, order = 1): string =>
    `{ upstream: ${name}, model: ${model}, order: ${order}, cost: { input: "100", output: "400" } }`;
  const model = (...routes: string[]): string =>
    `{ type: chat, endpoints: [chat.completions], contextTokens: ${CONTEXT_TOKENS}, maxOutputTokens: ${MAX_OUTPUT_TOKENS},` +
    ` price: { input: "${PRICE.input}", cachedInput: "${PRICE.cachedInput}", output: "${PRICE.output}" },` +
    ` routes: [ ${routes.join(", ")} ] }`;
  return `
upstreams:
  aborting: ${upstream("")}
  draining: ${upstream(", onDisconnect: drain")}
  quick: ${upstream(", timeoutsMs: { connect: 1000, firstByte: 300, idle: 300 }")}
  dead: { protocol: openai, baseUrl: "http://127.0.0.1:9/v1", apiKeyEnv: UPSTREAM_KEY }
models:
  standard: ${model(route("aborting", "upstream-model"))}
  drained: ${model(route("draining", "upstream-model"))}
  impatient: ${model(route("quick", "upstream-model"))}
  backed: ${model(route("aborting", "second-model", 2), route("quick", "first-model"))}
  orphaned: ${model(route("dead", "first-model"), route("aborting", "second-model", 2))}
`;
}

export interface NewCustomer {
  /** Default "100"; "0" credits nothing. */
  readonly roubles?: string;
  readonly key?: Partial<NewKeyRequest>;
}

export interface ChatCustomer {
  readonly accountId: string;
  readonly secret: string;
  readonly key: KeyRecord;
}

/** A part of the upstream's script, and what it was asked. */
export interface Play {
  /**
   * Put it into the request body as `user`, or `metadata.user_id` of a Messages request, or into a
   * path: that is how the upstream knows whose it is.
   */
  readonly user: string;
  readonly requests: readonly RecordedRequest[];
  /** The first request of the play, as soon as it is there. */
  readonly asked: Promise<RecordedRequest>;
}

export interface ChatScene {
  readonly gateway: Gateway;
  readonly databaseUrl: string;
  readonly db: Db;
  readonly upstream: ScriptedUpstream;
  /** Another process on the same database and catalogue. */
  anotherGateway(): Promise<Gateway>;
  customer(options?: NewCustomer): Promise<ChatCustomer>;
  anotherKey(customer: ChatCustomer): Promise<ChatCustomer>;
  /**
   * Answers the requests of one test. A list answers the first request by its first handler and so
   * on.
   */
  play(script: Handler | readonly Handler[]): Play;
  /**
   * The receipt behind an x-request-id, as soon as it is written: after a kill that takes as long
   * as a lease and a round of recovery.
   */
  receipt(requestId: string, patienceMs?: number): Promise<StoredReceipt>;
  /**
   * All receipts of an account, once there are this many and nothing is held any more. Newest
   * first.
   */
  receipts(accountId: string, count: number, withinMs?: number): Promise<readonly StoredReceipt[]>;
  money(
    accountId: string,
  ): Promise<{ readonly charged: Nano; readonly held: Nano; readonly available: Nano }>;
  /** What the operator lost on an account, newest first. */
  losses(accountId: string): Promise<readonly bigint[]>;
  /** Insists that the books agree with their entries. */
  verifyBooks(): Promise<void>;
  /**
   * Stops everything. Rejects with what the upstream's script failed at, and when the gateway does
   * not end in order.
   */
  close(): Promise<void>;
}

const PAGE = 1000;
const PLAY = /play-[0-9a-f-]{36}/;

/** Whose play a request belongs to: by its `user`; of a form, and of what has no body, by what names one. */
function userOf({ headers, path, body, json }: RecordedRequest): string {
  if (headers["content-type"]?.startsWith("application/json") === true) {
    const sent = json() as { user?: string; metadata?: { user_id?: string } };
    return sent.user ?? sent.metadata?.user_id ?? "";
  }
  return PLAY.exec(`${path}\n${body.toString("latin1")}`)?.[0] ?? "";
}

async function emptyAccount(db: Db): Promise<string> {
  const created = await createAccount(db, { name: "test", email: null, operator: false });
  if (created.kind !== "created") throw new Error("no account");
  return created.accountId;
}

export interface ChatSceneOptions {
  /**
   * The catalogue file, for the address of the scripted upstream; the one of this file by default.
   */
  catalogue?(upstreamUrl: string): string;
  /** Environment of the gateway besides. */
  readonly env?: Settings;
}

export async function openChatScene({
  catalogue = catalogueOf,
  env = {},
}: ChatSceneOptions = {}): Promise<ChatScene> {
  const plays = new Map<string, (exchange: Exchange) => void | Promise<void>>();
  const upstream = await startScriptedUpstream(async (exchange) => {
    const user = userOf(exchange.request);
    const play = plays.get(user);
    if (play === undefined) throw new Error(`a request with user "${user}" belongs to no test`);
    await play(exchange);
  });
  const database = await testDatabase();
  const { db } = database;
  const start = (): Promise<Gateway> =>
    startGateway({
      databaseUrl: database.url,
      catalogue: catalogue(upstream.url),
      env: { UPSTREAM_KEY: UPSTREAM_CREDENTIAL, LOG_LEVEL: "info", ...env },
    });
  const gateway = await start().catch(async (error: unknown) => {
    // What stays open would keep the test's process alive.
    await database.drop();
    await upstream.close();
    throw error;
  });
  const others: Gateway[] = [];

  async function money(accountId: string): ReturnType<ChatScene["money"]> {
    await postAll(db);
    const found = await balance(db, accountId);
    if (found === null) throw new Error(`there is no account ${accountId}`);
    return { charged: found.chargedNano, held: found.heldNano, available: found.availableNano };
  }

  return {
    gateway,
    databaseUrl: database.url,
    db,
    upstream,
    money,

    async anotherGateway() {
      const other = await start();
      others.push(other);
      return other;
    },

    async customer({ roubles = "100", key = {} } = {}) {
      const accountId = roubles === "0" ? await emptyAccount(db) : await newAccount(db, roubles);
      return { accountId, ...(await newKey(db, accountId, key)) };
    },

    async anotherKey({ accountId }) {
      return { accountId, ...(await newKey(db, accountId)) };
    },

    play(script) {
      const user = `play-${randomUUID()}`;
      const requests: RecordedRequest[] = [];
      const asked = Promise.withResolvers<RecordedRequest>();
      plays.set(user, (exchange) => {
        const handler = typeof script === "function" ? script : script[requests.length];
        requests.push(exchange.request);
        asked.resolve(exchange.request);
        if (handler === undefined)
          throw new Error(`request ${requests.length} of its play was not in the script`);
        return handler(exchange);
      });
      return { user, requests, asked: asked.promise };
    },

    receipt(requestId, patienceMs) {
      const uuid = parseRequestId(requestId);
      if (uuid === null) throw new Error(`"${requestId}" is not a request id`);
      return until(
        `the receipt of ${requestId}`,
        async () => {
          const found = await findAnyRequest(db, uuid);
          return found === null ? null : wholeReceipt(db, found);
        },
        patienceMs,
      );
    },

    receipts(accountId, count, withinMs) {
      const done = `${count} receipts and no hold of ${accountId}`;
      return until(
        done,
        async () => {
          if ((await money(accountId)).held > 0n) return null;
          const { receipts } = await listRequests(db, { accountId, cursor: null, limit: PAGE });
          return (
            receipts.length >= count &&
            Promise.all(receipts.map((receipt) => wholeReceipt(db, receipt)))
          );
        },
        withinMs,
      );
    },

    async losses(accountId) {
      await postAll(db);
      const page = await listEntries(db, {
        accountId,
        limit: PAGE,
        cursor: null,
        moneyOnly: false,
      });
      return (page?.entries ?? [])
        .filter((entry: Entry) => entry.kind === "loss")
        .map((entry) => entry.amountNano);
    },

    async verifyBooks() {
      const { mismatches } = await verifyLedger(db);
      if (mismatches.length > 0)
        throw new Error(`the books do not agree: ${JSON.stringify(mismatches)}`);
    },

    async close() {
      const stopped = await Promise.allSettled([gateway, ...others].map((each) => each.stop()));
      // Whatever fails, the rest is closed too: what stays open would keep the test's process
      // alive.
      const closed = await Promise.allSettled([database.drop(), upstream.close()]);
      const failures = [...stopped, ...closed].flatMap((each) =>
        each.status === "rejected" ? [each.reason as unknown] : [],
      );
      if (failures.length > 0)
        throw new AggregateError(
          failures,
          `the scene did not close in order: ${failures.map(String).join("; ")}`,
        );
    },
  };
}
