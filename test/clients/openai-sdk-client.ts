/**
 * The official `openai` SDK as a client of the matrix: its plain calls for whole answers, its
 * stream helper for streams.
 */
import assert from "node:assert/strict";
import OpenAI from "openai";
import { zodResponseFormat } from "openai/helpers/zod";
import type {
  ChatCompletionContentPart,
  ChatCompletionMessageParam,
} from "openai/resources/chat/completions";
import {
  MAX_TOKENS,
  STOP_SEQUENCE,
  WEATHER,
  type Answer,
  type ChatClient,
  type Endpoint,
  type Question,
} from "./chat-client.ts";

/** OpenAI-compatible services call it so; no type of the SDK knows it. */
function reasoningIn(reported: object): string {
  const reasoning: unknown = Reflect.get(reported, "reasoning_content");
  return typeof reasoning === "string" ? reasoning : "";
}

function open({ url, secret, fetch }: Endpoint): OpenAI {
  return new OpenAI({ apiKey: secret, baseURL: `${url}/v1`, maxRetries: 0, fetch });
}

function paramsOf(endpoint: Endpoint, question: Question, messages: ChatCompletionMessageParam[]) {
  const { tools, stop, thinking, maxTokens = MAX_TOKENS } = question;
  return {
    model: endpoint.model,
    messages,
    max_completion_tokens: maxTokens,
    ...(tools === undefined
      ? {}
      : {
          tools: tools.map(({ name, description, schema }) => ({
            type: "function" as const,
            function: { name, description, parameters: { ...schema } },
          })),
        }),
    ...(stop === true ? { stop: STOP_SEQUENCE } : {}),
    ...(thinking === true ? { reasoning_effort: "low" as const } : {}),
    ...(question.structured === true
      ? { response_format: zodResponseFormat(WEATHER, "weather") }
      : {}),
  };
}

function firstMessages({ system, text, picture }: Question): ChatCompletionMessageParam[] {
  const url = picture?.kind === "base64" ? `data:image/png;base64,${picture.data}` : picture?.url;
  const content: string | ChatCompletionContentPart[] =
    url === undefined
      ? text
      : [
          { type: "text", text },
          { type: "image_url", image_url: { url } },
        ];
  return [
    ...(system === undefined ? [] : [{ role: "system" as const, content: system }]),
    { role: "user", content },
  ];
}

async function converse(
  endpoint: Endpoint,
  question: Question,
  streamed: boolean,
  messages: ChatCompletionMessageParam[],
): Promise<Answer> {
  const params = paramsOf(endpoint, question, messages);
  const client = open(endpoint).chat.completions;
  let streamedThinking = "";
  const listen = () => {
    const stream = client.stream({ ...params, stream_options: { include_usage: true } });
    stream.on("chunk", (chunk) => {
      streamedThinking += reasoningIn(chunk.choices[0]?.delta ?? {});
    });
    return stream.finalChatCompletion();
  };
  const wait = () => (question.structured === true ? client.parse(params) : client.create(params));
  const completion = streamed ? await listen() : await wait();
  const [choice] = completion.choices;
  assert.ok(
    choice !== undefined && completion.usage !== undefined && completion.choices.length === 1,
  );
  const { message } = choice;
  const { usage } = completion;
  return {
    text: message.content ?? "",
    thinking: streamed ? streamedThinking : reasoningIn(message),
    calls: (message.tool_calls ?? []).flatMap((call) =>
      call.type === "function"
        ? [
            {
              id: call.id,
              name: call.function.name,
              input: JSON.parse(call.function.arguments) as unknown,
            },
          ]
        : [],
    ),
    finish: choice.finish_reason,
    usage: {
      input: usage.prompt_tokens,
      cached: usage.prompt_tokens_details?.cached_tokens ?? 0,
      output: usage.completion_tokens,
    },
    structured: "parsed" in message ? message.parsed : null,
    answerTools: (results) =>
      converse(endpoint, question, streamed, [
        ...messages,
        message,
        ...results.map(({ call, text }) => ({
          role: "tool" as const,
          tool_call_id: call.id,
          content: text,
        })),
      ]),
  };
}

export const OPENAI_SDK: ChatClient = {
  name: "openai",
  protocol: "openai",
  endings: {
    stop: "stop",
    "stop sequence": "stop",
    length: "length",
    tools: "tool_calls",
    structured: "stop",
  },
  showsThinking: true,
  returnsThinking: "any",
  streamsStructured: true,
  believesEnd: true,
  errors: { badRequest: "BadRequestError", server: "InternalServerError", midStream: "APIError" },
  ask: (endpoint, question, streamed) =>
    converse(endpoint, question, streamed, firstMessages(question)),
  async listen(endpoint, question, hear) {
    const stream = await open(endpoint).chat.completions.create({
      ...paramsOf(endpoint, question, firstMessages(question)),
      stream: true,
    });
    let text = "";
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? "";
      if (hear(text) === "leave") return;
    }
  },
  readFailure: (error) =>
    error instanceof OpenAI.APIError
      ? { kind: error.constructor.name, status: error.status ?? null, message: error.message }
      : null,
};
