/**
 * The scene of kept answers: one database, any number of gateways, an upstream that says what it was
 * asked, customers.
 */
import OpenAI from "openai";
import type { Db } from "../../src/db/database.ts";
import type { Uuid } from "../../src/kernel/ids.ts";
import { testDatabase } from "../support/database.ts";
import type { Gateway } from "../support/gateway-process.ts";
import { startGateway } from "../support/gateway-process.ts";
import { newAccount, newKey } from "../support/new-customer.ts";
import { openAiCompletion, openAiStream } from "../support/openai-stream.ts";
import { startScriptedUpstream, type Exchange } from "../support/scripted-upstream.ts";
import { createTollgateCommand } from "../support/tollgate-command.ts";
import type { Settings } from "../support/tollgate-environment.ts";

const INPUT_TOKEN_NANO = 100_000n;
const OUTPUT_TOKEN_NANO = 1_000_000n;
export const OUTPUT_TOKENS = 7n;
/** Of each message that the upstream was sent. */
const MESSAGE_TOKENS = 10n;

export const priceOf = (messages: number): bigint =>
  BigInt(messages) * MESSAGE_TOKENS * INPUT_TOKEN_NANO + OUTPUT_TOKENS * OUTPUT_TOKEN_NANO;

export interface Message {
  readonly role: string;
  readonly content: unknown;
}

export interface Customer {
  readonly accountId: Uuid;
  readonly secret: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly json: Record<string, unknown>;
}

export interface ResponsesScene extends AsyncDisposable {
  readonly db: Db;
  readonly url: string;
  gateway(name: string, env?: Settings): Promise<Gateway>;
  customer(): Promise<Customer>;
  /** All that the upstream was asked, in order. */
  readonly asked: readonly (readonly Message[])[];
  /** What the upstream says to the next request. */
  say(text: string): void;
  verifyLedger(): Promise<void>;
}

const CATALOGUE = (upstreamUrl: string): string => `
upstreams:
  scripted: { protocol: openai, baseUrl: "${upstreamUrl}/v1", apiKeyEnv: SCRIPTED_API_KEY, maxConcurrent: 1000 }
models:
  talk:
    { type: chat, endpoints: [chat.completions, responses], price: { input: "100", output: "1000" }, contextTokens: 100000, maxOutputTokens: 4000,
      routes: [{ upstream: scripted, model: talk }] }
`;

export async function openResponsesScene(): Promise<ResponsesScene> {
  const database = await testDatabase();
  const { db } = database;
  const asked: (readonly Message[])[] = [];
  const gateways: Gateway[] = [];
  let text = "Blue.";
  const upstream = await startScriptedUpstream(async (exchange: Exchange) => {
    const { messages, stream } = exchange.request.json() as {
      messages: Message[];
      stream?: boolean;
    };
    asked.push(messages);
    const prompt = Number(MESSAGE_TOKENS) * messages.length;
    const completion = Number(OUTPUT_TOKENS);
    const usage = {
      prompt_tokens: prompt,
      completion_tokens: completion,
      total_tokens: prompt + completion,
    };
    if (stream !== true) return exchange.json(200, openAiCompletion({ pieces: [text], usage }));
    await exchange.sendAll(openAiStream({ pieces: [text], usage }));
    exchange.end();
  });
  return {
    db,
    url: database.url,
    asked,
    say(words) {
      text = words;
    },
    async gateway(name, env = {}) {
      const url = new URL(database.url);
      url.searchParams.set("application_name", name);
      const started = await startGateway({
        databaseUrl: url.toString(),
        catalogue: CATALOGUE(upstream.url),
        // Several processes open what any of them has sealed.
        env: {
          SCRIPTED_API_KEY: "scripted",
          SESSION_SECRET: "the same on all machines, 0123456789",
          ...env,
        },
      });
      gateways.push(started);
      return started;
    },
    async customer() {
      const accountId = await newAccount(db, "100");
      const { secret } = await newKey(db, accountId);
      return { accountId, secret };
    },
    async verifyLedger() {
      await createTollgateCommand({ DATABASE_URL: database.url }).verifyLedger();
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(gateways.map((gateway) => gateway.stop()));
      await upstream.close();
      await database.drop();
    },
  };
}

/** What a customer sends and gets. */
export async function ask(
  { url }: Gateway,
  { secret }: Customer,
  path: string,
  body?: unknown,
  init: { readonly method?: string; readonly headers?: Record<string, string> } = {},
): Promise<Answer> {
  const answer = await fetch(`${url}${path}`, {
    method: init.method ?? (body === undefined ? "GET" : "POST"),
    headers: {
      authorization: `Bearer ${secret}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...init.headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const json = (await answer.json()) as Record<string, unknown>;
  return { status: answer.status, headers: answer.headers, json };
}

export function sdk({ url }: Gateway, { secret }: Customer): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey: secret, maxRetries: 0 });
}

/** The texts of messages as a chat upstream got them. */
export function textsOf(messages: readonly Message[] | undefined): [string, string][] {
  return (messages ?? []).map(({ role, content }) => [
    role,
    typeof content === "string"
      ? content
      : (content as readonly { text?: string }[]).map(({ text }) => text ?? "").join(""),
  ]);
}
