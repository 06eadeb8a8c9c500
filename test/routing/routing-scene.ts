/**
 * The stage of the routing tests: models at both endpoints, with their own upstreams, so that no
 * test suffers from another's failures.
 */
import assert from "node:assert/strict";
import { anthropicMessage, anthropicStream } from "../support/anthropic-stream.ts";
import { standardPrice, type ChatScene } from "../support/chat-scene.ts";
import { openAiCompletion, openAiStream } from "../support/openai-stream.ts";
import { postChat, type ChatAnswer } from "../support/post-chat.ts";
import type { Exchange, Handler } from "../support/scripted-upstream.ts";

export type Protocol = "openai" | "anthropic";
export const PROTOCOLS: readonly Protocol[] = ["openai", "anthropic"];
export type Endpoint = "chat.completions" | "messages";
export const ENDPOINTS: readonly Endpoint[] = ["chat.completions", "messages"];
/**
 * `assembled`: whole for the caller, a stream from the upstream, because its worst case is too much
 * to hold at once.
 */
export type Form = "streamed" | "whole" | "assembled";
export const FORMS: readonly Form[] = ["streamed", "whole", "assembled"];

export interface RoutePlan {
  /** Default: openai. */
  readonly protocol?: Protocol;
  /** Default: its place in the list, from 1. */
  readonly order?: number;
  readonly weight?: number;
  /** Names of environment variables. Default: the scene's own credential. */
  readonly keys?: readonly string[];
  readonly maxConcurrent?: number;
  /** Gives up after 300 ms of silence. */
  readonly impatient?: boolean;
  /** Nothing listens there. */
  readonly dead?: boolean;
  /** Default: 100 for input, 400 for output. */
  readonly cost?: { readonly input: string; readonly output: string };
}

/**
 * A catalogue of these models. The routes of `m` go to the upstreams `m-1`, `m-2` and so on, which
 * know it as `m-at-1`, `m-at-2`.
 */
export function routingCatalogue(
  models: Readonly<Record<string, readonly RoutePlan[]>>,
): (upstreamUrl: string) => string {
  return (url) => {
    const upstreams: string[] = [];
    const sold: string[] = [];
    for (const [model, plans] of Object.entries(models)) {
      const routes = plans.map((plan, at) => {
        const {
          protocol = "openai",
          order = at + 1,
          weight = 1,
          keys = ["UPSTREAM_KEY"],
          maxConcurrent,
        } = plan;
        const { cost = { input: "100", output: "400" } } = plan;
        const baseUrl = plan.dead === true ? "http://127.0.0.1:9" : url;
        const timeouts =
          plan.impatient === true
            ? ", timeoutsMs: { connect: 1000, firstByte: 300, idle: 300 }"
            : "";
        upstreams.push(
          `  ${model}-${at + 1}: { protocol: ${protocol}, baseUrl: "${baseUrl}/v1", apiKeyEnv: [${keys.join(", ")}], maxConcurrent: 1000${timeouts} }`,
        );
        const limit = maxConcurrent === undefined ? "" : `, maxConcurrent: ${maxConcurrent}`;
        return (
          `{ upstream: ${model}-${at + 1}, model: ${model}-at-${at + 1}, order: ${order}, weight: ${weight}${limit},` +
          ` cost: { input: "${cost.input}", cacheWrite5m: "${cost.input}", cacheWrite1h: "${cost.input}", output: "${cost.output}" } }`
        );
      });
      sold.push(
        `  ${model}: { type: chat, endpoints: [chat.completions, messages], contextTokens: 20000, maxOutputTokens: 8000,` +
          ` price: { input: "150", cachedInput: "15", cacheWrite5m: "150", cacheWrite1h: "150", output: "600" }, routes: [ ${routes.join(", ")} ] }`,
      );
    }
    return `upstreams:\n${upstreams.join("\n")}\nmodels:\n${sold.join("\n")}\n`;
  };
}

const PIECES = [" one", " two", " three"];
/** What an answer of `answering` costs its caller. */
export const PRICE = standardPrice({ input: 17, output: 9 });

function isStreamed(exchange: Exchange): boolean {
  return (exchange.request.json() as { stream?: boolean }).stream === true;
}

/** Which of the models of the catalogue an upstream was asked for. */
export function modelAsked(request: { json(): unknown }): string {
  return (request.json() as { model: string }).model;
}

/** Answers well, as itself: its words begin with its name. */
export function answering(protocol: Protocol, name = "second"): Handler {
  return async (exchange) => {
    const pieces = [name, ...PIECES];
    const openAi = {
      id: name,
      pieces,
      usage: { prompt_tokens: 17, completion_tokens: 9, total_tokens: 26 },
    };
    const usage = { input_tokens: 17, output_tokens: 9 };
    const anthropic = {
      id: `msg_${name}`,
      blocks: [{ type: "text", pieces } as const],
      startUsage: { ...usage, output_tokens: 1 },
      usage,
    };
    if (!isStreamed(exchange))
      return exchange.json(
        200,
        protocol === "openai" ? openAiCompletion(openAi) : anthropicMessage(anthropic),
      );
    await exchange.sendAll(
      protocol === "openai" ? openAiStream(openAi) : anthropicStream(anthropic),
    );
    exchange.end();
  };
}

/** The customer's balance decides between whole and assembled. */
export const ROUBLES: Readonly<Record<Form, string>> = {
  streamed: "100",
  whole: "100",
  assembled: "10",
};

export interface Question {
  readonly endpoint: Endpoint;
  readonly form: Form;
  readonly model: string;
  readonly user: string;
  /** Fields of the body besides. */
  readonly more?: Readonly<Record<string, unknown>>;
}

/** Asks one question at its endpoint. */
export function ask(
  scene: Pick<ChatScene, "gateway">,
  secret: string,
  { endpoint, form, model, user, more }: Question,
): Promise<ChatAnswer> {
  const messages = [{ role: "user", content: "Count to two hundred" }];
  const common = { model, messages, max_tokens: 8000, stream: form === "streamed", ...more };
  const body =
    endpoint === "messages" ? { ...common, metadata: { user_id: user } } : { ...common, user };
  return postChat(
    scene.gateway.url,
    secret,
    body,
    endpoint === "messages" ? "/v1/messages" : "/v1/chat/completions",
  ).answer;
}

/**
 * Insists on one whole answer of `answering(…, name)`: begun once, ended once, of one id, all words
 * in order.
 */
export function checkAnswer(
  answer: ChatAnswer,
  { endpoint, form }: Pick<Question, "endpoint" | "form">,
  what: string,
  name = "second",
): void {
  const body = answer.body.toString();
  assert.deepEqual([answer.status, answer.broken], [200, false], `${what}: ${body}`);
  const reported =
    form === "streamed" ? readStream(endpoint, body, what) : readWhole(endpoint, body);
  assert.deepEqual(
    reported,
    {
      starts: 1,
      ends: 1,
      text: [name, ...PIECES].join(""),
      finish: endpoint === "messages" ? "end_turn" : "stop",
    },
    what,
  );
}

interface Received {
  /** Beginnings, by the ids of the chunks or by message_start. */
  readonly starts: number;
  readonly ends: number;
  readonly text: string;
  readonly finish: unknown;
}

function readWhole(endpoint: Endpoint, body: string): Received {
  const answer = JSON.parse(body) as {
    choices: { message: { content: string }; finish_reason: string }[];
    content: { text: string }[];
    stop_reason: string;
  };
  if (endpoint === "messages")
    return {
      starts: 1,
      ends: 1,
      text: answer.content.map(({ text }) => text).join(""),
      finish: answer.stop_reason,
    };
  const [choice] = answer.choices;
  return {
    starts: 1,
    ends: answer.choices.length,
    text: choice?.message.content ?? "",
    finish: choice?.finish_reason,
  };
}

interface StreamedEvent {
  readonly type?: string;
  readonly id?: string;
  readonly choices?: readonly {
    readonly delta: { readonly content?: string | null };
    readonly finish_reason: string | null;
  }[];
  readonly delta?: { readonly text?: string; readonly stop_reason?: string | null };
}

function readStream(endpoint: Endpoint, body: string, what: string): Received {
  const data = [...body.matchAll(/^data: (.*)$/gm)].map(([, line]) => line ?? "");
  if (endpoint === "chat.completions") assert.equal(data.pop(), "[DONE]", what);
  const events = data.map((line) => JSON.parse(line) as StreamedEvent);
  if (endpoint === "messages") {
    const of = (type: string): StreamedEvent[] => events.filter((event) => event.type === type);
    assert.deepEqual(
      [events[0]?.type, events.at(-1)?.type],
      ["message_start", "message_stop"],
      what,
    );
    const text = of("content_block_delta").map((event) => event.delta?.text ?? "");
    const finish = of("message_delta").map((event) => event.delta?.stop_reason);
    return {
      starts: of("message_start").length,
      ends: of("message_stop").length,
      text: text.join(""),
      finish: finish.join(),
    };
  }
  const choices = events.flatMap((event) => event.choices ?? []);
  const finish = choices.map((choice) => choice.finish_reason).filter((reason) => reason !== null);
  const text = choices.map((choice) => choice.delta.content ?? "").join("");
  return {
    starts: new Set(events.map((event) => event.id)).size,
    ends: finish.length,
    text,
    finish: finish.join(),
  };
}
