/**
 * The official `openai` SDK as a client of the matrix that calls Responses: `create` and `parse` for
 * whole answers, its stream helper for streams.
 */
import OpenAI from "openai";
import { zodTextFormat } from "openai/helpers/zod";
import type {
  Response,
  ResponseInputItem,
  ResponseInputMessageContentList,
  ResponseOutputItem,
} from "openai/resources/responses/responses";
import {
  MAX_TOKENS,
  WEATHER,
  type Answer,
  type ChatClient,
  type Endpoint,
  type Question,
} from "./chat-client.ts";

function open({ url, secret, fetch }: Endpoint): OpenAI {
  return new OpenAI({ apiKey: secret, baseURL: `${url}/v1`, maxRetries: 0, fetch });
}

function paramsOf(endpoint: Endpoint, question: Question, input: ResponseInputItem[]) {
  const { system, tools, thinking, maxTokens = MAX_TOKENS } = question;
  return {
    model: endpoint.model,
    input,
    max_output_tokens: maxTokens,
    ...(system === undefined ? {} : { instructions: system }),
    ...(tools === undefined
      ? {}
      : {
          tools: tools.map(({ name, description, schema }) => ({
            type: "function" as const,
            name,
            description,
            parameters: { ...schema },
            strict: false,
          })),
        }),
    ...(thinking === true
      ? {
          reasoning: { effort: "low" as const, summary: "auto" as const },
          include: ["reasoning.encrypted_content" as const],
        }
      : {}),
    ...(question.structured === true
      ? { text: { format: zodTextFormat(WEATHER, "weather") } }
      : {}),
  };
}

function firstItems({ text, picture }: Question): ResponseInputItem[] {
  const url = picture?.kind === "base64" ? `data:image/png;base64,${picture.data}` : picture?.url;
  const content: string | ResponseInputMessageContentList =
    url === undefined
      ? text
      : [
          { type: "input_text", text },
          { type: "input_image", image_url: url, detail: "auto" },
        ];
  return [{ role: "user", content }];
}

function thinkingIn(item: ResponseOutputItem): string {
  return item.type === "reasoning" ? item.summary.map(({ text }) => text).join("") : "";
}

function finishOf({ status, incomplete_details: details }: Response): string {
  return details === null ? String(status) : `${String(status)} (${String(details.reason)})`;
}

async function converse(
  endpoint: Endpoint,
  question: Question,
  streamed: boolean,
  input: ResponseInputItem[],
): Promise<Answer> {
  const params = paramsOf(endpoint, question, input);
  const client = open(endpoint).responses;
  const wait = () => (question.structured === true ? client.parse(params) : client.create(params));
  const response = streamed ? await client.stream(params).finalResponse() : await wait();
  const { output, usage } = response;
  return {
    text: response.output_text,
    thinking: output.map(thinkingIn).join(""),
    calls: output.flatMap((item) =>
      item.type === "function_call"
        ? [
            {
              id: item.call_id,
              name: item.name,
              input: JSON.parse(item.arguments) as unknown,
            },
          ]
        : [],
    ),
    finish: finishOf(response),
    usage: {
      input: usage?.input_tokens ?? NaN,
      cached: usage?.input_tokens_details.cached_tokens ?? 0,
      output: usage?.output_tokens ?? NaN,
    },
    structured: "output_parsed" in response ? response.output_parsed : null,
    answerTools: (results) =>
      converse(endpoint, question, streamed, [
        ...input,
        // What it gave goes back as it came; the SDK's types say less of it.
        ...(output as ResponseInputItem[]),
        ...results.map(({ call, text }) => ({
          type: "function_call_output" as const,
          call_id: call.id,
          output: text,
        })),
      ]),
  };
}

/** A response that ended as failed: the SDK gives it out as an event, and its user has to look. */
class FailedResponse extends Error {
  override readonly name = "response.failed";
}

export const OPENAI_RESPONSES: ChatClient = {
  name: "openai responses",
  protocol: "responses",
  endings: {
    stop: "completed",
    "stop sequence": "completed",
    length: "incomplete (max_output_tokens)",
    tools: "completed",
    structured: "completed",
  },
  showsThinking: true,
  returnsThinking: "any",
  streamsStructured: true,
  believesEnd: true,
  errors: {
    badRequest: "BadRequestError",
    server: "InternalServerError",
    midStream: "response.failed",
  },
  ask: (endpoint, question, streamed) =>
    converse(endpoint, question, streamed, firstItems(question)),
  async listen(endpoint, question, hear) {
    const stream = await open(endpoint).responses.create({
      ...paramsOf(endpoint, question, firstItems(question)),
      stream: true,
    });
    let text = "";
    for await (const event of stream) {
      if (event.type === "response.output_text.delta") text += event.delta;
      if (event.type === "response.failed")
        throw new FailedResponse(event.response.error?.message ?? "");
      if (hear(text) === "leave") return;
    }
  },
  readFailure(error) {
    if (error instanceof OpenAI.APIError)
      return { kind: error.constructor.name, status: error.status ?? null, message: error.message };
    return error instanceof FailedResponse
      ? { kind: error.name, status: null, message: error.message }
      : null;
  },
};
