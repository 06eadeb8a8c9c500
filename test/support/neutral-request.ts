/** Builds requests in no protocol's shape, for the tests of those who read and write them. */
import type {
  AssistantPart,
  NeutralRequest,
  NeutralTurn,
  RequestTarget,
  TextPart,
  UserPart,
} from "../../src/protocol/neutral/neutral-request.ts";

/** A request that says nothing. */
export const EMPTY_REQUEST: NeutralRequest = {
  system: [],
  turns: [],
  tools: [],
  toolChoice: null,
  parallelToolCalls: null,
  maxTokens: null,
  temperature: null,
  topP: null,
  topK: null,
  stop: [],
  format: null,
  reasoning: null,
  user: null,
};
export const TARGET: RequestTarget = {
  model: "target",
  stream: true,
  maxOutputTokens: 64_000,
  reasoning: true,
};

export const text = (reported: string, cache: TextPart["cache"] = null): TextPart => ({
  kind: "text",
  text: reported,
  cache,
});
export const user = (...parts: UserPart[]): NeutralTurn => ({ role: "user", parts });
export const assistant = (...parts: AssistantPart[]): NeutralTurn => ({ role: "assistant", parts });
export const thought = (signature: string | null): AssistantPart => ({
  kind: "thinking",
  text: "hm",
  signature,
});
export const call = (id: string, json = "{}", name = "f"): AssistantPart => ({
  kind: "tool-call",
  id,
  name,
  arguments: json,
  cache: null,
});
export const results = (...ids: string[]): NeutralTurn => ({
  role: "tool-results",
  results: ids.map((callId) => ({
    callId,
    parts: [text(`result of ${callId}`)],
    isError: false,
    cache: null,
  })),
});
export const TOOL = {
  name: "f",
  description: null,
  schema: null,
  strict: null,
  cache: null,
} as const;
