/**
 * Two gateway processes on one database before one scripted upstream, and customers with rate
 * limits.
 */
import type { Db } from "../../src/db/database.ts";
import { changeAccountLimits } from "../../src/business/accounts/change-account-limits.ts";
import type { RateLimits } from "../../src/kernel/rate-limits.ts";
import type { KeyRecord } from "../../src/keys/key-record.ts";
import { testDatabase } from "../support/database.ts";
import { startGateway, type Gateway } from "../support/gateway-process.ts";
import { newAccount, newKey } from "../support/new-customer.ts";
import { postChat, type ChatExchange } from "../support/post-chat.ts";
import {
  startScriptedUpstream,
  type Handler,
  type ScriptedUpstream,
} from "../support/scripted-upstream.ts";

export interface LimitedCustomer {
  readonly accountId: string;
  readonly secret: string;
  readonly key: KeyRecord;
}

export interface LimitsScene extends AsyncDisposable {
  readonly db: Db;
  readonly upstream: ScriptedUpstream;
  readonly gateways: readonly [Gateway, Gateway];
  customer(limits: {
    readonly key?: Partial<RateLimits>;
    readonly account?: Partial<RateLimits>;
    readonly roubles?: string;
  }): Promise<LimitedCustomer>;
  anotherKey(customer: LimitedCustomer): Promise<LimitedCustomer>;
  /** A chat request to one of the gateways. */
  ask(
    at: 0 | 1,
    secret: string,
    more?: object,
    headers?: Readonly<Record<string, string>>,
  ): ChatExchange;
}

/** `talk` is served to both protocols by an upstream of one. */
function catalogueOf(upstreamUrl: string): string {
  return `
upstreams: { scripted: { protocol: openai, baseUrl: "${upstreamUrl}/v1", apiKeyEnv: UPSTREAM_KEY, maxConcurrent: 1000 } }
models:
  talk:
    { type: chat, endpoints: [chat.completions, messages], contextTokens: 100000, maxOutputTokens: 8000,
      price: { input: "1", output: "1" }, routes: [ { upstream: scripted, model: talk } ] }
`;
}

export const MESSAGES = [{ role: "user", content: "Hello" }] as const;

export async function openLimitsScene(script: Handler): Promise<LimitsScene> {
  const upstream = await startScriptedUpstream(script);
  const database = await testDatabase();
  const { db, url: databaseUrl } = database;
  const start = (): Promise<Gateway> =>
    startGateway({
      databaseUrl,
      catalogue: catalogueOf(upstream.url),
      env: { UPSTREAM_KEY: "sk-upstream" },
    });
  const gateways = await Promise.all([start(), start()]);

  return {
    db,
    upstream,
    gateways,
    async customer({ key = {}, account = {}, roubles = "1000" }) {
      const accountId = await newAccount(db, roubles);
      await changeAccountLimits(db, accountId, account);
      return { accountId, ...(await newKey(db, accountId, key)) };
    },
    async anotherKey({ accountId }) {
      return { accountId, ...(await newKey(db, accountId)) };
    },
    ask: (at, secret, more = {}, headers = {}) =>
      postChat(
        gateways[at].url,
        secret,
        { model: "talk", max_tokens: 1000, messages: MESSAGES, ...more },
        "/v1/chat/completions",
        headers,
      ),
    async [Symbol.asyncDispose]() {
      const stopped = await Promise.allSettled(gateways.map((gateway) => gateway.stop()));
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

/**
 * Empties the bucket of requests of a key or an account, as if all of the limit had just been used.
 */
export async function useUp(db: Db, subjectId: string, requests: number): Promise<void> {
  await db.query(
    `INSERT INTO limits.subjects (subject_id, requests_used, as_of_us) VALUES ($1, $2::bigint * 60000000, extract(epoch FROM clock_timestamp()) * 1000000)
     ON CONFLICT (subject_id) DO UPDATE SET requests_used = excluded.requests_used, as_of_us = excluded.as_of_us`,
    [subjectId, requests],
  );
}
