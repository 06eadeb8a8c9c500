/**
 * The stage of the routing tests: models at every chat endpoint, with their own upstreams, so that
 * no test suffers from another's failures.
 */
import assert from "node:assert/strict";
import { CHAT_ENDPOINTS, type ChatEndpoint } from "../../src/contract/enums/chat-endpoint.ts";
import { standardPrice, type ChatScene } from "../support/chat-scene.ts";
import { telling } from "../support/pair-answers.ts";
import { postChat, type ChatAnswer } from "../support/post-chat.ts";
import { CALLER_PATHS, type Caller, type Protocol } from "../support/protocol-pairs.ts";
import type { Handler } from "../support/scripted-upstream.ts";

export { PROTOCOLS, type Protocol } from "../support/protocol-pairs.ts";
export type Endpoint = ChatEndpoint;
export const ENDPOINTS = CHAT_ENDPOINTS;
/** Whose endpoint each is. */
export const CALLER_AT: Readonly<Record<Endpoint, Caller>> = {
  "chat.completions": "openai",
  messages: "anthropic",
  responses: "responses",
};
/** What a caller is told who may come again: there is no room for it, or no route. */
export const OVERLOADED_AT: Readonly<Record<Endpoint, number>> = {
  "chat.completions": 503,
  messages: 529,
  responses: 503,
};
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

/** Which of the models of the catalogue an upstream was asked for. */
export function modelAsked(request: { json(): unknown }): string {
  return (request.json() as { model: string }).model;
}

/** Answers well, as itself: its words begin with its name. */
export function answering(protocol: Protocol, name = "second"): Handler {
  return telling(protocol, { pieces: [name, ...PIECES], tokens: { input: 17, output: 9 } });
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
  const question = [{ role: "user", content: "Count to two hundred" }];
  const most = 8000;
  const bodies: Readonly<Record<Endpoint, object>> = {
    "chat.completions": { messages: question, max_tokens: most, user },
    messages: { messages: question, max_tokens: most, metadata: { user_id: user } },
    responses: { input: question, max_output_tokens: most, user },
  };
  const body = { model, stream: form === "streamed", ...bodies[endpoint], ...more };
  return postChat(scene.gateway.url, secret, body, CALLER_PATHS[CALLER_AT[endpoint]]).answer;
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
      finish: FINISHED[endpoint],
    },
    what,
  );
}

const FINISHED: Readonly<Record<Endpoint, string>> = {
  "chat.completions": "stop",
  messages: "end_turn",
  responses: "completed",
};

interface Received {
  /** Beginnings, by the ids of the chunks or by the event that begins an answer. */
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
    output: { content: { text: string }[] }[];
    status: string;
  };
  const textOf = (parts: readonly { text: string }[]): string =>
    parts.map(({ text }) => text).join("");
  switch (endpoint) {
    case "chat.completions": {
      const [choice] = answer.choices;
      const { message, finish_reason: finish } = choice ?? {};
      return { starts: 1, ends: answer.choices.length, text: message?.content ?? "", finish };
    }
    case "messages":
      return { starts: 1, ends: 1, text: textOf(answer.content), finish: answer.stop_reason };
    case "responses": {
      const text = textOf(answer.output.flatMap(({ content }) => content));
      return { starts: 1, ends: 1, text, finish: answer.status };
    }
  }
}

interface StreamedEvent {
  readonly type?: string;
  readonly id?: string;
  readonly choices?: readonly {
    readonly delta: { readonly content?: string | null };
    readonly finish_reason: string | null;
  }[];
  /** Of Responses a text. */
  readonly delta?: string | { readonly text?: string; readonly stop_reason?: string | null };
  readonly response?: { readonly id: string; readonly status: string };
}

function readStream(endpoint: Endpoint, body: string, what: string): Received {
  const data = [...body.matchAll(/^data: (.*)$/gm)].map(([, line]) => line ?? "");
  if (endpoint === "chat.completions") assert.equal(data.pop(), "[DONE]", what);
  const events = data.map((line) => JSON.parse(line) as StreamedEvent);
  const of = (type: string): StreamedEvent[] => events.filter((event) => event.type === type);
  const ofFrame = (first: string, last: string): void =>
    assert.deepEqual([events[0]?.type, events.at(-1)?.type], [first, last], what);
  switch (endpoint) {
    case "chat.completions":
      return readChunks(events);
    case "messages": {
      ofFrame("message_start", "message_stop");
      const deltas = (type: string) =>
        of(type).map(({ delta }) => (typeof delta === "object" ? delta : {}));
      return {
        starts: of("message_start").length,
        ends: of("message_stop").length,
        text: deltas("content_block_delta")
          .map(({ text = "" }) => text)
          .join(""),
        finish: deltas("message_delta")
          .map((delta) => delta.stop_reason)
          .join(),
      };
    }
    case "responses": {
      ofFrame("response.created", "response.completed");
      const ids = new Set(events.flatMap(({ response }) => response?.id ?? []));
      assert.equal(of("response.created").length, 1, what);
      return {
        starts: ids.size,
        ends: of("response.completed").length,
        text: of("response.output_text.delta")
          .map(({ delta }) => (typeof delta === "string" ? delta : ""))
          .join(""),
        finish: of("response.completed")
          .map(({ response }) => response?.status)
          .join(),
      };
    }
  }
}

function readChunks(events: readonly StreamedEvent[]): Received {
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
