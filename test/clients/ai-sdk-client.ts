/**
 * The AI SDK as clients of the matrix: `generateText` and `streamText` over its providers.
 */
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { createOpenResponses } from "@ai-sdk/open-responses";
import {
  APICallError,
  defaultSettingsMiddleware,
  generateText,
  jsonSchema,
  Output,
  streamText,
  tool,
  wrapLanguageModel,
  type LanguageModel,
  type ModelMessage,
  type ToolSet,
} from "ai";
import {
  MAX_TOKENS,
  STOP_SEQUENCE,
  WEATHER,
  type Answer,
  type ChatClient,
  type Endpoint,
  type Question,
} from "./chat-client.ts";

type Open = (endpoint: Endpoint, question: Question) => LanguageModel;

function firstMessages({ text, picture }: Question): ModelMessage[] {
  if (picture === undefined) return [{ role: "user", content: text }];
  const data = picture.kind === "base64" ? picture.data : new URL(picture.url);
  return [
    {
      role: "user",
      content: [
        { type: "text", text },
        { type: "file", mediaType: "image/png", data },
      ],
    },
  ];
}

function toolsOf({ tools }: Question): { tools: ToolSet } | object {
  if (tools === undefined) return {};
  const offered = tools.map(
    ({ name, description, schema }) =>
      [name, tool({ description, inputSchema: jsonSchema({ ...schema }) })] as const,
  );
  return { tools: Object.fromEntries(offered) };
}

function paramsOf(open: Open, endpoint: Endpoint, question: Question, messages: ModelMessage[]) {
  const { system, maxTokens = MAX_TOKENS } = question;
  return {
    model: open(endpoint, question),
    messages,
    maxRetries: 0,
    maxOutputTokens: maxTokens,
    ...(system === undefined ? {} : { instructions: system }),
    ...toolsOf(question),
    ...(question.stop === true ? { stopSequences: [STOP_SEQUENCE] } : {}),
    ...(question.thinking === true ? { reasoning: "low" as const } : {}),
    ...(question.structured === true ? { output: Output.object({ schema: WEATHER }) } : {}),
  };
}

async function converse(
  open: Open,
  endpoint: Endpoint,
  question: Question,
  streamed: boolean,
  messages: ModelMessage[],
): Promise<Answer> {
  const params = paramsOf(open, endpoint, question, messages);
  const result = streamed ? await listenToAll(params) : await generateText(params);
  const { usage } = result;
  return {
    text: result.text,
    thinking: result.reasoningText ?? "",
    calls: result.toolCalls.map(({ toolCallId, toolName, input }) => ({
      id: toolCallId,
      name: toolName,
      input,
    })),
    finish: `${result.finishReason} (${String(result.rawFinishReason)})`,
    usage: {
      input: usage.inputTokens ?? NaN,
      cached: usage.inputTokenDetails.cacheReadTokens ?? 0,
      output: usage.outputTokens ?? NaN,
    },
    structured: question.structured === true ? result.output : null,
    answerTools: (results) =>
      converse(open, endpoint, question, streamed, [
        ...messages,
        ...result.responseMessages,
        {
          role: "tool",
          content: results.map(({ call, text }) => ({
            type: "tool-result",
            toolCallId: call.id,
            toolName: call.name,
            output: { type: "text", value: text },
          })),
        },
      ]),
  };
}

/** Errors are parts of this SDK's streams; here they are thrown. */
async function listenToAll(params: Parameters<typeof streamText>[0]) {
  const result = streamText({ ...params, onError: () => undefined });
  for await (const part of result.stream) if (part.type === "error") throw part.error;
  const [
    text,
    reasoningText,
    toolCalls,
    finishReason,
    rawFinishReason,
    usage,
    responseMessages,
    output,
  ] = await Promise.all([
    result.text,
    result.reasoningText,
    result.toolCalls,
    result.finishReason,
    result.rawFinishReason,
    result.usage,
    result.responseMessages,
    params.output === undefined ? undefined : result.output,
  ]);
  return {
    text,
    reasoningText,
    toolCalls,
    finishReason,
    rawFinishReason,
    usage,
    responseMessages,
    output,
  };
}

/** What differs between the providers. */
interface Kind extends Pick<
  ChatClient,
  "name" | "protocol" | "endings" | "showsThinking" | "returnsThinking"
> {
  readonly open: Open;
  /**
   * It takes only errors whose `param` and `code` are texts, which no vendor's are: its user finds
   * the words in the body of the answer.
   */
  readonly wordsInBody?: true;
}

function clientOf({ open, wordsInBody, ...reported }: Kind): ChatClient {
  return {
    ...reported,
    streamsStructured: true,
    believesEnd: true,
    errors: {
      badRequest: "AI_APICallError",
      server: "AI_APICallError",
      midStream: "AI_StreamProviderError",
    },
    ask: (endpoint, question, streamed) =>
      converse(open, endpoint, question, streamed, firstMessages(question)),
    async listen(endpoint, question, hear) {
      const leaving = new AbortController();
      const params = paramsOf(open, endpoint, question, firstMessages(question));
      const result = streamText({
        ...params,
        abortSignal: leaving.signal,
        onError: () => undefined,
      });
      let text = "";
      for await (const part of result.stream) {
        if (part.type === "error") throw part.error;
        if (part.type === "text-delta") text += part.text;
        if (hear(text) === "leave") leaving.abort();
      }
    },
    readFailure(error) {
      if (APICallError.isInstance(error))
        return {
          kind: error.name,
          status: error.statusCode ?? null,
          message: wordsInBody === true ? (error.responseBody ?? "") : error.message,
        };
      if (error instanceof Error) return { kind: error.name, status: null, message: error.message };
      return typeof error === "object" && error !== null
        ? { kind: "the error itself", status: null, message: JSON.stringify(error) }
        : null;
    },
  };
}

const OPENAI_ENDINGS: ChatClient["endings"] = {
  stop: "stop (stop)",
  "stop sequence": "stop (stop)",
  length: "length (length)",
  tools: "tool-calls (tool_calls)",
  structured: "stop (stop)",
};

const RESPONSES_ENDINGS: ChatClient["endings"] = {
  stop: "stop (undefined)",
  "stop sequence": "stop (undefined)",
  length: "length (max_output_tokens)",
  tools: "tool-calls (undefined)",
  structured: "stop (undefined)",
};

export const AI_SDK_OPENAI = clientOf({
  name: "AI SDK, @ai-sdk/openai chat",
  protocol: "openai",
  open: ({ url, secret, model, fetch }) =>
    createOpenAI({ baseURL: `${url}/v1`, apiKey: secret, fetch }).chat(model),
  endings: OPENAI_ENDINGS,
  showsThinking: false,
  returnsThinking: "none",
});

/** It asks only models that it knows to think, unless it is told that another one does. */
const THINKS = defaultSettingsMiddleware({
  settings: { providerOptions: { openai: { forceReasoning: true } } },
});

/** The provider's default. Its earlier thinking it does not send again, but names by its id. */
export const AI_SDK_RESPONSES = clientOf({
  name: "AI SDK, @ai-sdk/openai",
  protocol: "responses",
  open({ url, secret, model: name, fetch }, { thinking }) {
    const model = createOpenAI({ baseURL: `${url}/v1`, apiKey: secret, fetch })(name);
    return thinking === true ? wrapLanguageModel({ model, middleware: THINKS }) : model;
  },
  endings: RESPONSES_ENDINGS,
  showsThinking: true,
  returnsThinking: "any",
});

const SHOWS_THINKING = defaultSettingsMiddleware({
  settings: { providerOptions: { tollgate: { reasoningSummary: "auto" } } },
});

export const AI_SDK_OPEN_RESPONSES = clientOf({
  name: "AI SDK, @ai-sdk/open-responses",
  protocol: "responses",
  open({ url, secret, model: name, fetch }, { thinking }) {
    const model = createOpenResponses({
      name: "tollgate",
      url: `${url}/v1/responses`,
      apiKey: secret,
      fetch,
    })(name);
    return thinking === true ? wrapLanguageModel({ model, middleware: SHOWS_THINKING }) : model;
  },
  endings: RESPONSES_ENDINGS,
  showsThinking: true,
  returnsThinking: "any",
  wordsInBody: true,
});

export const AI_SDK_COMPATIBLE = clientOf({
  name: "AI SDK, @ai-sdk/openai-compatible",
  protocol: "openai",
  open: ({ url, secret, model, fetch }) =>
    createOpenAICompatible({
      name: "tollgate",
      baseURL: `${url}/v1`,
      apiKey: secret,
      includeUsage: true,
      supportsStructuredOutputs: true,
      // Otherwise it fetches pictures itself.
      supportedUrls: () => ({ "image/*": [/^https:/] }),
      fetch,
    })(model),
  endings: OPENAI_ENDINGS,
  showsThinking: true,
  returnsThinking: "none",
});

export const AI_SDK_ANTHROPIC = clientOf({
  name: "AI SDK, @ai-sdk/anthropic",
  protocol: "anthropic",
  open: ({ url, secret, model, fetch }) =>
    createAnthropic({ baseURL: `${url}/v1`, apiKey: secret, fetch })(model),
  endings: {
    stop: "stop (end_turn)",
    "stop sequence": "stop (stop_sequence)",
    length: "length (max_tokens)",
    tools: "tool-calls (tool_use)",
    structured: "stop (tool_use)",
  },
  showsThinking: true,
  returnsThinking: "signed",
});
