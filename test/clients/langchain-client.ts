/**
 * LangChain as clients of the matrix: `invoke` for whole answers, `stream` with its chunks put
 * together for streams.
 */
import { ChatAnthropic } from "@langchain/anthropic";
import {
  AIMessage,
  type AIMessageChunk,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type BaseMessage,
  type UsageMetadata,
} from "@langchain/core/messages";
import { concat } from "@langchain/core/utils/stream";
import { ChatOpenAI } from "@langchain/openai";
import {
  MAX_TOKENS,
  STOP_SEQUENCE,
  WEATHER,
  type Answer,
  type ChatClient,
  type Endpoint,
  type Question,
} from "./chat-client.ts";

const THINKING_BUDGET = 2048;
type Model = ChatOpenAI | ChatAnthropic;
type Open = (endpoint: Endpoint, question: Question) => Model;

const openOpenAi: Open = ({ url, secret, model, fetch }, { thinking, maxTokens = MAX_TOKENS }) =>
  new ChatOpenAI({
    model,
    apiKey: secret,
    maxTokens,
    maxRetries: 0,
    configuration: { baseURL: `${url}/v1`, fetch },
    // Its own `reasoning` is sent only for model names that it knows.
    ...(thinking === true ? { modelKwargs: { reasoning_effort: "low" } } : {}),
  });

/** It sends its own `reasoning`, too, only for model names that it knows. */
const openResponses: Open = ({ url, secret, model, fetch }, { thinking, maxTokens = MAX_TOKENS }) =>
  new ChatOpenAI({
    model,
    apiKey: secret,
    maxTokens,
    maxRetries: 0,
    useResponsesApi: true,
    configuration: { baseURL: `${url}/v1`, fetch },
    ...(thinking === true
      ? { modelKwargs: { reasoning: { effort: "low", summary: "auto" } } }
      : {}),
  });

const openAnthropic: Open = ({ url, secret, model, fetch }, { thinking, maxTokens = MAX_TOKENS }) =>
  new ChatAnthropic({
    model,
    apiKey: secret,
    anthropicApiUrl: url,
    maxTokens,
    maxRetries: 0,
    clientOptions: { fetch },
    ...(thinking === true ? { thinking: { type: "enabled", budget_tokens: THINKING_BUDGET } } : {}),
  });

function firstMessages({ system, text, picture }: Question): BaseMessage[] {
  const url = picture?.kind === "base64" ? `data:image/png;base64,${picture.data}` : picture?.url;
  const content =
    url === undefined
      ? text
      : [
          { type: "text", text },
          { type: "image_url", image_url: { url } },
        ];
  return [
    ...(system === undefined ? [] : [new SystemMessage(system)]),
    new HumanMessage({ content }),
  ];
}

interface Sent {
  readonly raw: AIMessage;
  readonly parsed: unknown;
  readonly outputTokens: number;
}

function isAnswer(message: BaseMessage | null): message is AIMessage {
  return message !== null && AIMessage.isInstance(message);
}

function usageOf(message: AIMessage): UsageMetadata | undefined {
  return message.usage_metadata;
}

/**
 * One question, answered whole. A structured answer always is: `ChatAnthropic` cannot put it
 * together from any server's stream.
 */
async function sendWhole(model: Model, question: Question, messages: BaseMessage[]): Promise<Sent> {
  const { raw, parsed } =
    question.structured === true
      ? await model.withStructuredOutput(WEATHER, { includeRaw: true }).invoke(messages)
      : { raw: await withTools(model, question).invoke(messages, stopOf(question)), parsed: null };
  if (!isAnswer(raw)) throw new Error("the answer is no AIMessage");
  return { raw, parsed, outputTokens: usageOf(raw)?.output_tokens ?? NaN };
}

async function sendStreamed(
  model: Model,
  question: Question,
  messages: BaseMessage[],
): Promise<Sent> {
  let raw: AIMessageChunk | null = null;
  let outputTokens = 0;
  for await (const chunk of await withTools(model, question).stream(messages, stopOf(question))) {
    raw = raw === null ? chunk : concat(raw, chunk);
    // It adds the placeholder of `message_start` to the total of `message_delta`, with the vendor
    // too.
    outputTokens = Math.max(outputTokens, usageOf(chunk)?.output_tokens ?? 0);
  }
  if (!isAnswer(raw)) throw new Error("the stream had no chunk");
  return { raw, parsed: null, outputTokens };
}

function stopOf({ stop }: Question): { stop?: string[] } {
  return stop === true ? { stop: [STOP_SEQUENCE] } : {};
}

function withTools(model: Model, { tools = [] }: Question) {
  if (tools.length === 0) return model;
  return model.bindTools(
    tools.map(({ name, description, schema }) => ({
      type: "function" as const,
      function: { name, description, parameters: { ...schema } },
    })),
  );
}

/** Each protocol's has its own place. */
function thinkingIn({ content, additional_kwargs: more }: AIMessage): string {
  const { reasoning_content: chat, reasoning } = more;
  if (typeof chat === "string") return chat;
  if (isSummed(reasoning)) return reasoning.summary.map(({ text }) => text).join("");
  const blocks: readonly { type: string }[] = typeof content === "string" ? [] : content;
  return blocks
    .map((block) =>
      "thinking" in block && typeof block.thinking === "string" ? block.thinking : "",
    )
    .join("");
}

function isSummed(value: unknown): value is { summary: readonly { text: string }[] } {
  return typeof value === "object" && value !== null && "summary" in value;
}

async function converse(
  open: Open,
  endpoint: Endpoint,
  question: Question,
  streamed: boolean,
  messages: BaseMessage[],
): Promise<Answer> {
  const send = streamed ? sendStreamed : sendWhole;
  const { raw, parsed, outputTokens } = await send(open(endpoint, question), question, messages);
  const { response_metadata: metadata, additional_kwargs: more } = raw;
  return {
    text: raw.text,
    thinking: thinkingIn(raw),
    calls: (raw.tool_calls ?? []).map(({ id = "", name, args }) => ({ id, name, input: args })),
    finish: String(
      metadata["finish_reason"] ??
        metadata["stop_reason"] ??
        more["stop_reason"] ??
        metadata["status"],
    ),
    usage: {
      input: usageOf(raw)?.input_tokens ?? NaN,
      cached: usageOf(raw)?.input_token_details?.cache_read ?? 0,
      output: outputTokens,
    },
    structured: parsed,
    answerTools: (results) =>
      converse(open, endpoint, question, streamed, [
        ...messages,
        raw,
        ...results.map(
          ({ call, text }) => new ToolMessage({ tool_call_id: call.id, content: text }),
        ),
      ]),
  };
}

function clientOf(
  open: Open,
  reported: Omit<ChatClient, "ask" | "listen" | "readFailure" | "streamsStructured">,
): ChatClient {
  return {
    ...reported,
    streamsStructured: false,
    ask: (endpoint, question, streamed) =>
      converse(open, endpoint, question, streamed, firstMessages(question)),
    async listen(endpoint, question, hear) {
      const leaving = new AbortController();
      let text = "";
      for await (const chunk of await open(endpoint, question).stream(firstMessages(question), {
        signal: leaving.signal,
      })) {
        text += chunk.text;
        // Before the loop is left: leaving it waits for the next chunk.
        if (hear(text) === "leave") leaving.abort();
        if (leaving.signal.aborted) break;
      }
    },
    readFailure: (error) =>
      error instanceof Error
        ? {
            kind: error.constructor.name,
            status: "status" in error && typeof error.status === "number" ? error.status : null,
            message: error.message,
          }
        : null,
  };
}

export const LANGCHAIN_OPENAI = clientOf(openOpenAi, {
  name: "LangChain ChatOpenAI",
  protocol: "openai",
  endings: {
    stop: "stop",
    "stop sequence": "stop",
    length: "length",
    tools: "tool_calls",
    structured: "stop",
  },
  showsThinking: true,
  returnsThinking: "none",
  believesEnd: true,
  errors: { badRequest: "BadRequestError", server: "InternalServerError", midStream: "APIError" },
});

export const LANGCHAIN_RESPONSES = clientOf(openResponses, {
  name: "LangChain ChatOpenAI, useResponsesApi",
  protocol: "responses",
  endings: {
    stop: "completed",
    "stop sequence": "completed",
    length: "incomplete",
    tools: "completed",
    structured: "completed",
  },
  showsThinking: true,
  returnsThinking: "any",
  believesEnd: true,
  // It passes over `response.failed`, and notices that the connection is closed without an end.
  errors: { badRequest: "BadRequestError", server: "InternalServerError", midStream: "TypeError" },
});

export const LANGCHAIN_ANTHROPIC = clientOf(openAnthropic, {
  name: "LangChain ChatAnthropic",
  protocol: "anthropic",
  endings: {
    stop: "end_turn",
    "stop sequence": "stop_sequence",
    length: "max_tokens",
    tools: "tool_use",
    structured: "tool_use",
  },
  showsThinking: true,
  returnsThinking: "any",
  believesEnd: false,
  errors: { badRequest: "BadRequestError", server: "InternalServerError", midStream: "APIError" },
});
