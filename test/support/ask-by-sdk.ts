/**
 * Asks the gateway by the official SDK of the caller's protocol, and tells what the SDK understood.
 */
import assert from "node:assert/strict";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
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

/** A stream is put together by the SDK's own helper. Throws what the SDK throws. */
export function askBySdk(caller: Caller, question: SdkQuestion): Promise<Heard> {
  return caller === "openai" ? askOpenAi(question) : askAnthropic(question);
}
