/**
 * The scene of the matrix: one gateway that sells the sandbox at the same price, once by each
 * protocol, and the sandbox itself as the vendor.
 */
import assert from "node:assert/strict";
import { createSandbox } from "../../sandbox/create-sandbox.ts";
import type { ObservedRequest } from "../../sandbox/serve-chat.ts";
import type { StoredReceipt } from "../../src/usage/receipt-row.ts";
import { openChatScene, UPSTREAM_CREDENTIAL, type ChatScene } from "../support/chat-scene.ts";
import { pairsCatalogue, type Protocol } from "../support/protocol-pairs.ts";
import type { Endpoint } from "./chat-client.ts";

const PATHS: Readonly<Record<Protocol, string>> = {
  openai: "/v1/chat/completions",
  anthropic: "/v1/messages",
  responses: "/v1/responses",
};

/** The name of the sandbox's model, at the vendor and in every greeting. */
const VENDOR_MODEL = "echo-large";

/** A client's endpoint, and the requests that went through it. */
export interface WatchedEndpoint extends Endpoint {
  /** The receipt of its request of this index. */
  receipt(index: number): Promise<StoredReceipt>;
}

export interface MatrixScene {
  readonly chat: ChatScene;
  /** The model behind an upstream of this protocol. */
  endpoint(upstream: Protocol, secret: string): WatchedEndpoint;
  /** The vendor itself, without a gateway. */
  readonly vendor: Endpoint;
  /** What the upstream was asked by the gateway, of all requests that say these words. */
  asked(upstream: Protocol, words: string): readonly ObservedRequest[];
  close(): Promise<void>;
}

export interface MatrixSceneOptions {
  /** The models that ids of the family's prefix stand for, by the word that must be in the id. */
  readonly families?: { readonly opus: string; readonly sonnet: string; readonly haiku: string };
}

function familiesOf({ families }: MatrixSceneOptions): string {
  if (families === undefined) return "";
  const family = (match: "opus" | "sonnet" | "haiku"): string =>
    `{ match: ${match}, model: ${families[match]} }`;
  return `families: { prefix: claude, large: ${family("opus")}, medium: ${family("sonnet")}, small: ${family("haiku")} }\n`;
}

export async function openMatrixScene(options: MatrixSceneOptions = {}): Promise<MatrixScene> {
  const observed: { readonly request: ObservedRequest; readonly reported: string }[] = [];
  const observe = (request: ObservedRequest): void =>
    void observed.push({ request, reported: JSON.stringify(request.body) });
  const sandbox = await createSandbox({ port: 0, host: "127.0.0.1", wordDelayMs: 0, observe });
  const chat = await openChatScene({
    catalogue: () => familiesOf(options) + pairsCatalogue(sandbox.url),
  }).catch(async (error: unknown) => {
    await sandbox.close();
    throw error;
  });
  return {
    chat,
    vendor: { url: sandbox.url, secret: "a-customer-of-the-vendor", model: VENDOR_MODEL, fetch },

    endpoint(upstream, secret) {
      const requestIds: string[] = [];
      return {
        url: chat.gateway.url,
        secret,
        model: `over-${upstream}`,
        async fetch(input, init) {
          const response = await fetch(input, init);
          requestIds.push(response.headers.get("x-request-id") ?? "");
          return response;
        },
        receipt(index) {
          const requestId = requestIds[index];
          assert.ok(requestId !== undefined, `there was no request ${index}`);
          return chat.receipt(requestId);
        },
      };
    },

    asked(upstream, words) {
      const path = PATHS[upstream];
      const isOurs = ({ headers }: ObservedRequest): boolean =>
        headers.authorization === `Bearer ${UPSTREAM_CREDENTIAL}` ||
        headers["x-api-key"] === UPSTREAM_CREDENTIAL;
      return observed.flatMap(({ request, reported }) =>
        reported.includes(words) && request.path.startsWith(path) && isOurs(request)
          ? [request]
          : [],
      );
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
