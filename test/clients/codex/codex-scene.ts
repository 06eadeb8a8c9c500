/**
 * The scene of real Codex: one gateway before the sandbox, with a model behind an upstream of each
 * protocol that Codex takes for one it knows, and users who run it.
 */
import assert from "node:assert/strict";
import { createSandbox } from "../../../sandbox/create-sandbox.ts";
import type { ScriptStep } from "../../../sandbox/read-script.ts";
import type { ObservedRequest } from "../../../sandbox/serve-chat.ts";
import type { StoredReceipt } from "../../../src/usage/receipt-row.ts";
import {
  openChatScene,
  standardPrice,
  type ChatCustomer,
  type ChatScene,
} from "../../support/chat-scene.ts";
import { pairsCatalogue, PROTOCOLS, type Protocol } from "../../support/protocol-pairs.ts";
import { codexHome, startCodex, type CodexRun, type RunningCodex } from "./codex-process.ts";
import { watchGateway, type WatchedGateway } from "./watched-gateway.ts";

interface Question extends Pick<CodexRun, "prompt" | "resumes" | "provider" | "settings"> {
  /** Default: a model whose name begins as one that Codex knows. */
  readonly model?: string;
}

export interface CodexUser extends AsyncDisposable {
  readonly customer: ChatCustomer;
  /** The folder in which Codex works. */
  readonly work: string;
  /** What Codex asks the gateway for, and what it gets. */
  readonly watched: WatchedGateway;
  start(question: Question): RunningCodex;
  /** What the upstream was asked for this user, and how that ended. */
  asked(): readonly ObservedRequest[];
  /**
   * The receipts of all that was asked of the upstream, in that order; each is charged at what the
   * upstream truly counts.
   */
  paidReceipts(): Promise<readonly StoredReceipt[]>;
}

export interface CodexScene {
  readonly chat: ChatScene;
  user(upstream: Protocol, roubles?: string): Promise<CodexUser>;
  close(): Promise<void>;
}

/** Codex gives it custom tools, and asks it for reasoning. */
const modelOver = (upstream: Protocol): string => `gpt-5.5-over-${upstream}`;

const PRICE = `{ input: "150", cachedInput: "15", cacheWrite5m: "187.5", cacheWrite1h: "300", output: "600" }`;

function catalogueOf(sandboxUrl: string): string {
  const models = PROTOCOLS.map(
    (upstream) =>
      `  ${modelOver(upstream)}: { type: chat, endpoints: [chat.completions], contextTokens: 200000, maxOutputTokens: 32000,` +
      ` price: ${PRICE}, routes: [{ upstream: ${upstream}-upstream, model: echo-large }] }\n`,
  );
  return pairsCatalogue(sandboxUrl) + models.join("");
}

/** A directive that has the model do all this, one step after the other. */
export function scripted(steps: readonly ScriptStep[]): string {
  return `[[sandbox: script=${Buffer.from(JSON.stringify(steps)).toString("base64")}]]`;
}

export async function openCodexScene(binary: string): Promise<CodexScene> {
  const observed: ObservedRequest[] = [];
  const sandbox = await createSandbox({
    port: 0,
    host: "127.0.0.1",
    wordDelayMs: 0,
    observe: (request) => void observed.push(request),
  });
  const chat = await openChatScene({ catalogue: () => catalogueOf(sandbox.url) }).catch(
    async (error: unknown) => {
      await sandbox.close();
      throw error;
    },
  );
  let users = 0;
  return {
    chat,

    async user(upstream, roubles = "100") {
      const customer = await chat.customer({ roubles });
      const watched = await watchGateway(chat.gateway.url);
      const at = codexHome();
      const started: RunningCodex[] = [];
      users += 1;
      // It stands in every conversation, also in one that was summed up.
      const sign = `<<user-${users}>>`;
      const asked = (): readonly ObservedRequest[] =>
        observed.filter(({ body }) => JSON.stringify(body).includes(sign));
      return {
        customer,
        work: at.work,
        watched,
        asked,
        start({ prompt, ...rest }) {
          const codex = startCodex({
            binary,
            at,
            url: watched.url,
            secret: customer.secret,
            model: modelOver(upstream),
            prompt: `${prompt} ${sign}`,
            ...rest,
          });
          started.push(codex);
          return codex;
        },
        async paidReceipts() {
          const requests = asked();
          const newest = await chat.receipts(customer.accountId, requests.length);
          assert.equal(newest.length, requests.length, "one receipt for each request");
          const receipts = newest.toReversed();
          for (const [at, { figures }] of requests.entries()) {
            const counted = await figures;
            assert.ok(counted !== null);
            const { prompt, cached, completion } = counted;
            const price = standardPrice({
              input: Number(prompt) - cached,
              cached,
              output: Number(completion),
            });
            assert.equal(receipts[at]?.chargedNano, price, `the price of request ${at}`);
          }
          return receipts;
        },
        async [Symbol.asyncDispose]() {
          for (const codex of started) {
            codex.signal("SIGKILL");
            await codex.ended;
          }
          at[Symbol.dispose]();
          await watched[Symbol.asyncDispose]();
        },
      };
    },

    async close() {
      try {
        await chat.close();
      } finally {
        await sandbox.close();
      }
    },
  };
}
