/**
 * The official `@anthropic-ai/sdk` as a client of the matrix: its plain calls for whole answers,
 * its stream helper for streams.
 */
import Anthropic from "@anthropic-ai/sdk";
import { zodOutputFormat } from "@anthropic-ai/sdk/helpers/zod";
import type { ContentBlockParam, MessageParam } from "@anthropic-ai/sdk/resources/messages";
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

function open({ url, secret, fetch }: Endpoint): Anthropic {
  return new Anthropic({ apiKey: secret, baseURL: url, maxRetries: 0, fetch });
}

function paramsOf(endpoint: Endpoint, question: Question, messages: MessageParam[]) {
  const { system, tools, stop, thinking, maxTokens = MAX_TOKENS } = question;
  return {
    model: endpoint.model,
    messages,
    max_tokens: maxTokens,
    ...(system === undefined ? {} : { system }),
    ...(tools === undefined
      ? {}
      : {
          tools: tools.map(({ name, description, schema }) => ({
            name,
            description,
            input_schema: { ...schema },
          })),
        }),
    ...(stop === true ? { stop_sequences: [STOP_SEQUENCE] } : {}),
    ...(thinking === true
      ? { thinking: { type: "enabled" as const, budget_tokens: THINKING_BUDGET } }
      : {}),
    ...(question.structured === true
      ? { output_config: { format: zodOutputFormat(WEATHER) } }
      : {}),
  };
}

function firstMessages({ text, picture }: Question): MessageParam[] {
  if (picture === undefined) return [{ role: "user", content: text }];
  const image: ContentBlockParam =
    picture.kind === "base64"
      ? { type: "image", source: { type: "base64", media_type: "image/png", data: picture.data } }
      : { type: "image", source: { type: "url", url: picture.url } };
  return [{ role: "user", content: [{ type: "text", text }, image] }];
}

async function converse(
  endpoint: Endpoint,
  question: Question,
  streamed: boolean,
  messages: MessageParam[],
): Promise<Answer> {
  const params = paramsOf(endpoint, question, messages);
  const client = open(endpoint).messages;
  const message = streamed
    ? await client.stream(params).finalMessage()
    : await client.parse(params);
  const { usage, content } = message;
  return {
    text: content.map((block) => (block.type === "text" ? block.text : "")).join(""),
    thinking: content.map((block) => (block.type === "thinking" ? block.thinking : "")).join(""),
    calls: content.flatMap((block) =>
      block.type === "tool_use" ? [{ id: block.id, name: block.name, input: block.input }] : [],
    ),
    finish:
      message.stop_reason === "stop_sequence"
        ? `stop_sequence ${message.stop_sequence}`
        : String(message.stop_reason),
    usage: {
      input:
        usage.input_tokens +
        (usage.cache_read_input_tokens ?? 0) +
        (usage.cache_creation_input_tokens ?? 0),
      cached: usage.cache_read_input_tokens ?? 0,
      output: usage.output_tokens,
    },
    structured: message.parsed_output,
    answerTools: (results) =>
      converse(endpoint, question, streamed, [
        ...messages,
        { role: "assistant", content },
        {
          role: "user",
          content: results.map(({ call, text }) => ({
            type: "tool_result",
            tool_use_id: call.id,
            content: text,
          })),
        },
      ]),
  };
}

export const ANTHROPIC_SDK: ChatClient = {
  name: "@anthropic-ai/sdk",
  protocol: "anthropic",
  endings: {
    stop: "end_turn",
    "stop sequence": `stop_sequence ${STOP_SEQUENCE}`,
    length: "max_tokens",
    tools: "tool_use",
    structured: "end_turn",
  },
  showsThinking: true,
  returnsThinking: "any",
  streamsStructured: true,
  believesEnd: true,
  errors: { badRequest: "BadRequestError", server: "InternalServerError", midStream: "APIError" },
  ask: (endpoint, question, streamed) =>
    converse(endpoint, question, streamed, firstMessages(question)),
  async listen(endpoint, question, hear) {
    const stream = await open(endpoint).messages.create({
      ...paramsOf(endpoint, question, firstMessages(question)),
      stream: true,
    });
    let text = "";
    for await (const event of stream) {
      if (event.type === "content_block_delta" && event.delta.type === "text_delta")
        text += event.delta.text;
      if (hear(text) === "leave") return;
    }
  },
  readFailure: (error) =>
    error instanceof Anthropic.APIError
      ? { kind: error.constructor.name, status: error.status ?? null, message: error.message }
      : null,
};
