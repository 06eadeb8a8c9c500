/**
 * The built-in upstream: an HTTP server that speaks the protocols the adapters speak, answers
 * deterministically, and misbehaves when asked.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { countMessages } from "./anthropic/count-messages.ts";
import { callEndpoints } from "./calls/call-endpoints.ts";
import { anthropicDialect } from "./anthropic/dialect.ts";
import type { Dialect } from "./dialect.ts";
import type { Endpoint } from "./endpoint.ts";
import { createBatchDesk } from "./batches/batch-desk.ts";
import { messageBatchEndpoints } from "./batches/message-batches.ts";
import { openAiBatchEndpoints } from "./batches/openai-batches.ts";
import { openaiDialect } from "./openai/dialect.ts";
import { figureEndpoints } from "./figures/figure-endpoints.ts";
import { createPaymentSide } from "./payments/payment-endpoints.ts";
import { createResponsesDialect } from "./responses/dialect.ts";
import { sendJson } from "./send-json.ts";
import { sentKeys } from "./sent-key.ts";
import { serveChat, type ObservedRequest, type ServeChatOptions } from "./serve-chat.ts";
import { listModels } from "./tasks/find-model.ts";
import { createMediaSide, type MediaOptions } from "./media-endpoints.ts";

export interface SandboxOptions {
  /** 0 takes any free port. */
  readonly port: number;
  readonly host: string;
  /** Keys that are let in; absent: any key but an empty one. */
  readonly apiKeys?: readonly string[];
  /** Pause between the words of a stream; 15 by default. */
  readonly wordDelayMs?: number;
  /** Of the providers of media tasks. */
  readonly media?: MediaOptions;
  /** One line per request; no content, no keys. */
  log?(line: string): void;
  /** Sees every chat request that can be read, for tests in the same process. */
  observe?(request: ObservedRequest): void;
}

export interface Sandbox {
  /** `http://HOST:PORT`, without a path. */
  readonly url: string;
  readonly port: number;
  /** Stops at once, cutting what is under way. */
  close(): Promise<void>;
}

const MODELS = ["echo-large", "echo-medium", "echo-small"];
const DEFAULT_WORD_DELAY_MS = 15;

/** Starts listening. Rejects when the port is taken. */
export async function createSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { wordDelayMs = DEFAULT_WORD_DELAY_MS, observe = () => undefined } = options;
  const media = createMediaSide(options.media ?? {});
  const payments = createPaymentSide();
  const desk = createBatchDesk();
  const endpoints = [
    ...chatEndpoints({ wordDelayMs, observe }),
    ...callEndpoints({ wordDelayMs, observe }),
    ...media.endpoints,
    ...payments.endpoints,
    ...openAiBatchEndpoints(desk),
    ...messageBatchEndpoints(desk),
    ...figureEndpoints(),
  ];
  const log = options.log ?? (() => undefined);

  const handle = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const path = (req.url ?? "/").replace(/\?.*$/s, "");
    const started = performance.now();
    const say = (words: string): void =>
      log(`${req.method} ${path} ${words} ${(performance.now() - started).toFixed(0)} ms`);
    if (path === "/" && (req.method === "GET" || req.method === "HEAD")) {
      sendJson(res, 200, { service: "tollgate sandbox", models: MODELS, taskModels: listModels() });
      return say("200");
    }
    const endpoint = endpoints.find((one) => one.method === req.method && one.path.test(path));
    if (endpoint === undefined) {
      const dialect = path.startsWith("/v1/messages") ? anthropicDialect : openaiDialect;
      req.resume();
      sendJson(
        res,
        404,
        dialect.error({
          status: 404,
          message: `sandbox: there is no ${req.method} ${path}`,
          param: null,
        }),
      );
      return say("404");
    }
    if (endpoint.deny !== null && !isLetIn(req, options.apiKeys)) {
      req.resume();
      sendJson(res, 401, endpoint.deny(req));
      return say("401");
    }
    say(await endpoint.serve(req, res, path));
  };

  const server = createServer({ requestTimeout: 0, keepAliveTimeout: 65_000 }, (req, res) => {
    handle(req, res).catch((error: unknown) => {
      log(
        `${req.method} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      );
      res.destroy();
    });
  });
  const listening = Promise.withResolvers<void>();
  server.once("error", listening.reject);
  server.listen(options.port, options.host, () => listening.resolve());
  await listening.promise;
  const { port } = server.address() as AddressInfo;
  const host = options.host.includes(":") ? `[${options.host}]` : options.host;
  return {
    url: `http://${host}:${port}`,
    port,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      payments.close();
      desk.close();
      await media.close();
      await closed;
    },
  };
}

/** The paths of the chat protocols; another one is a folder beside openai/ and its entries here. */
function chatEndpoints(chat: ServeChatOptions): Endpoint[] {
  const denyIn = (dialect: Dialect) => () =>
    dialect.error({ status: 401, message: "sandbox: no valid API key was sent", param: null });
  const responsesDialect = createResponsesDialect();
  const byVersion = (req: IncomingMessage): Dialect =>
    req.headers["anthropic-version"] === undefined ? openaiDialect : anthropicDialect;
  const json = (res: ServerResponse, body: unknown): string => {
    sendJson(res, 200, body);
    return "200";
  };
  return [
    {
      method: "POST",
      path: /^\/v1\/chat\/completions\/?$/,
      deny: denyIn(openaiDialect),
      serve: (req, res) => serveChat(openaiDialect, req, res, chat),
    },
    {
      method: "POST",
      path: /^\/v1\/responses\/?$/,
      deny: denyIn(responsesDialect),
      serve: (req, res) => serveChat(responsesDialect, req, res, chat),
    },
    {
      method: "POST",
      path: /^\/v1\/messages\/?$/,
      deny: denyIn(anthropicDialect),
      serve: (req, res) => serveChat(anthropicDialect, req, res, chat),
    },
    {
      method: "POST",
      path: /^\/v1\/messages\/count_tokens\/?$/,
      deny: denyIn(anthropicDialect),
      serve: countMessages,
    },
    {
      method: "GET",
      path: /^\/v1\/models\/?$/,
      deny: (req) => denyIn(byVersion(req))(),
      serve: (req, res) => json(res, byVersion(req).models(MODELS)),
    },
    {
      method: "GET",
      path: /^\/v1\/models\/./,
      deny: (req) => denyIn(byVersion(req))(),
      serve: (req, res, path) => json(res, byVersion(req).model(path.slice("/v1/models/".length))),
    },
  ];
}

/** Any protocol's way of sending the key will do. */
function isLetIn(req: IncomingMessage, keys: readonly string[] | undefined): boolean {
  const sent = sentKeys(req);
  return keys === undefined ? sent.length > 0 : sent.some((key) => keys.includes(key));
}
