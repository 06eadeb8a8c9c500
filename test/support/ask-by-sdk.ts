/**
 * Asks the gateway by the official SDK of the caller's protocol, and tells what the SDK understood.
 */
import assert from "node:assert/strict";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import type { ResponseStream } from "openai/lib/responses/ResponseStream";
import type { Response } from "openai/resources/responses/responses";
import type { Caller } from "./protocol-pairs.ts";

export interface Heard {
  readonly text: string;
  readonly thinking: string;
  readonly calls: readonly {
    readonly id: string;
    readonly name: string;
    readonly input: unknown;
  }[];
  readonly finish: string | null;
}

export interface SdkQuestion {
  readonly url: string;
  readonly secret: string;
  readonly model: string;
  /** Of a play of the scene. */
  readonly user: string;
  readonly stream: boolean;
}

const MESSAGES = [{ role: "user" as const, content: "Погода?" }];
const MOST_TOKENS = 1000;

/** Reasoning goes by two names among the upstreams of this protocol. */
function reasoningOf(part: object): string {
  return String(Reflect.get(part, "reasoning_content") ?? Reflect.get(part, "reasoning") ?? "");
}

async function askOpenAi({ url, secret, model, user, stream }: SdkQuestion): Promise<Heard> {
  const { completions } = new OpenAI({ apiKey: secret, baseURL: `${url}/v1`, maxRetries: 0 }).chat;
  const body = { model, messages: MESSAGES, user, max_completion_tokens: MOST_TOKENS };
  let reasoning = "";
  const streamed = () => {
    const running = completions.stream(body);
    running.on("chunk", ({ choices: [choice] }) => {
      reasoning += reasoningOf(choice?.delta ?? {});
    });
    return running.finalChatCompletion();
  };
  const completion = stream ? await streamed() : await completions.create(body);
  const [choice] = completion.choices;
  assert.ok(choice !== undefined);
  const { message } = choice;
  return {
    text: message.content ?? "",
    thinking: stream ? reasoning : reasoningOf(message),
    calls: (message.tool_calls ?? []).map((call) => {
      assert.equal(call.type, "function");
      const { function: called, id } = call;
      // What one protocol calls a text came from its own upstream as it is.
      return {
        id,
        name: called.name,
        input:
          typeof called.arguments === "string" ? JSON.parse(called.arguments) : called.arguments,
      };
    }),
    finish: choice.finish_reason,
  };
}

async function askAnthropic({ url, secret, model, user, stream }: SdkQuestion): Promise<Heard> {
  const { messages: api } = new Anthropic({ apiKey: secret, baseURL: url, maxRetries: 0 });
  const body = { model, messages: MESSAGES, metadata: { user_id: user }, max_tokens: MOST_TOKENS };
  const message = stream ? await api.stream(body).finalMessage() : await api.create(body);
  return {
    text: message.content.map((block) => (block.type === "text" ? block.text : "")).join(""),
    thinking: message.content
      .map((block) => (block.type === "thinking" ? block.thinking : ""))
      .join(""),
    calls: message.content.flatMap((block) =>
      block.type === "tool_use" ? [{ id: block.id, name: block.name, input: block.input }] : [],
    ),
    finish: message.stop_reason,
  };
}

/**
 * The SDK's helper throws nothing for a response that failed, and a bare TypeError where the connection
 * broke behind it: what `response.failed` says is thrown here.
 */
async function finalResponse(running: ResponseStream): Promise<Response> {
  let failed: Response | null = null;
  running.on("response.failed", ({ response }) => {
    failed = response;
  });
  return await running.finalResponse().catch((error: unknown) => {
    if (failed === null) throw error;
    return failed;
  });
}

async function askResponses({ url, secret, model, user, stream }: SdkQuestion): Promise<Heard> {
  const { responses: api } = new OpenAI({
    apiKey: secret,
    baseURL: `${url}/v1`,
    maxRetries: 0,
  });
  const body = { model, input: MESSAGES, user, max_output_tokens: MOST_TOKENS };
  const response = stream ? await finalResponse(api.stream(body)) : await api.create(body);
  const { output, error, status = null, incomplete_details: incomplete } = response;
  if (error !== null) throw new OpenAI.APIError(undefined, error, error.message, undefined);
  return {
    text: output
      .flatMap((item) => (item.type === "message" ? item.content : []))
      .map((part) => (part.type === "output_text" ? part.text : ""))
      .join(""),
    thinking: output
      .flatMap((item) => (item.type === "reasoning" ? item.summary : []))
      .map(({ text }) => text)
      .join(""),
    calls: output.flatMap((item) =>
      item.type === "function_call"
        ? [{ id: item.call_id, name: item.name, input: JSON.parse(item.arguments) as unknown }]
        : [],
    ),
    finish: incomplete?.reason ?? status,
  };
}

const ASKS: Readonly<Record<Caller, (question: SdkQuestion) => Promise<Heard>>> = {
  openai: askOpenAi,
  anthropic: askAnthropic,
  responses: askResponses,
};

/** A stream is put together by the SDK's own helper. Throws what the SDK throws. */
export function askBySdk(caller: Caller, question: SdkQuestion): Promise<Heard> {
  return ASKS[caller](question);
}

/**
 * Why an answer ended, in the word of each caller's protocol: a response with calls, or one that
 * was refused, is a completed one.
 */
export const FINISH_WORDS = {
  stop: { openai: "stop", anthropic: "end_turn", responses: "completed" },
  length: { openai: "length", anthropic: "max_tokens", responses: "max_output_tokens" },
  full: {
    openai: "length",
    anthropic: "model_context_window_exceeded",
    responses: "max_output_tokens",
  },
  calls: { openai: "tool_calls", anthropic: "tool_use", responses: "completed" },
  refusal: { openai: "content_filter", anthropic: "refusal", responses: "completed" },
} as const satisfies Readonly<Record<string, Readonly<Record<Caller, string>>>>;
