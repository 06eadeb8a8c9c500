/** What differs between the protocols, side by side. */
import type { ChatSettings } from "./chat-settings.ts";
import type { Answer, Turn } from "./conversation.ts";
import { addAnthropicEvent, readAnthropicAnswer } from "./read-anthropic-answer.ts";
import { addOpenAiChunk, readOpenAiAnswer } from "./read-openai-answer.ts";
import { writeAnthropicRequest } from "./write-anthropic-request.ts";
import { addResponsesEvent, readResponsesAnswer } from "./read-responses-answer.ts";
import { writeOpenAiRequest } from "./write-openai-request.ts";
import { writeResponsesRequest } from "./write-responses-request.ts";
import type { ChatEndpoint } from "../../../../../src/contract/enums/chat-endpoint.ts";

/** What the playground speaks to the gateway. */
export const SPOKEN_PROTOCOLS = ["openai", "anthropic", "responses"] as const;
export type SpokenProtocol = (typeof SPOKEN_PROTOCOLS)[number];

export interface ChatDialect {
  readonly name: string;
  /** Below /panel/api/playground, and below /v1 of the API. */
  readonly path: "/chat/completions" | "/messages" | "/responses";
  /** As models list it. */
  readonly endpoint: ChatEndpoint;
  writeRequest(
    model: string,
    settings: ChatSettings,
    turns: readonly Turn[],
  ): Readonly<Record<string, unknown>>;
  readAnswer(body: unknown): Answer;
  addEvent(answer: Answer, event: unknown): Answer;
  /** The words for an answer that reached the most tokens. */
  readonly cutShort: string;
}

export const DIALECTS: Readonly<Record<SpokenProtocol, ChatDialect>> = {
  openai: {
    name: "OpenAI Chat Completions",
    path: "/chat/completions",
    endpoint: "chat.completions",
    writeRequest: writeOpenAiRequest,
    readAnswer: readOpenAiAnswer,
    addEvent: addOpenAiChunk,
    cutShort: "length",
  },
  anthropic: {
    name: "Anthropic Messages",
    path: "/messages",
    endpoint: "messages",
    writeRequest: writeAnthropicRequest,
    readAnswer: readAnthropicAnswer,
    addEvent: addAnthropicEvent,
    cutShort: "max_tokens",
  },
  responses: {
    name: "OpenAI Responses",
    path: "/responses",
    endpoint: "responses",
    writeRequest: writeResponsesRequest,
    readAnswer: readResponsesAnswer,
    addEvent: addResponsesEvent,
    cutShort: "max_output_tokens",
  },
};

interface Failed {
  readonly error?: {
    readonly code?: unknown;
    readonly type?: unknown;
    readonly message?: unknown;
  } | null;
}

/**
 * What the protocols have in common about errors, in a body, an event or a response that failed;
 * null: it is none.
 */
export function errorIn(
  value: unknown,
): { readonly code: string; readonly message: string } | null {
  const holder = value as (Failed & { readonly response?: Failed }) | null;
  const error = holder?.error ?? holder?.response?.error;
  if (typeof error !== "object" || error === null) return null;
  const code =
    typeof error.code === "string"
      ? error.code
      : typeof error.type === "string"
        ? error.type
        : "internal_error";
  return { code, message: typeof error.message === "string" ? error.message : "" };
}
