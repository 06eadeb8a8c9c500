/** A Messages request: validated, measured, and ready to be sent on with only the named values changed. */
import type { TSchema } from "typebox";
import { createMistakeFinder, type MistakeFinder } from "../../contract/find-mistakes.ts";
import { CountTokensRequestBody, MessagesRequestBody } from "../../contract/messages-request.ts";
import { Fault } from "../../kernel/faults.ts";
import type { ChatRequest, ChatRequestEdit, ChatRequestReading } from "../chat-request.ts";
import { invalidBody } from "../invalid-body.ts";
import { isRecord } from "../json/is-record.ts";
import { readJsonObject, type JsonObject } from "../json/read-json-object.ts";
import { setMember } from "../json/set-members.ts";
import { spliceBytes, type Splice } from "../json/splice-bytes.ts";
import { measurePrompt, promptTextOf } from "../prompt-visitor.ts";
import { readNeutral } from "./neutral-from-request.ts";
import { dropUnsealedThinking } from "./unsealed-thinking.ts";
import { walkMessages } from "./walk-messages.ts";

/** What the gateway reads to price a request, or may change: none of it may be ambiguous. */
const GUARDED: ReadonlySet<string> = new Set([
  "model",
  "messages",
  "system",
  "stream",
  "max_tokens",
  "tools",
  "output_config",
  "output_format",
  "cache_control",
  "mcp_servers",
  "thinking",
]);

/** `1h` where any part of the request asks for it, else the five minutes that are the protocol's default. */
function longestCacheTtl(value: unknown): "5m" | "1h" {
  if (Array.isArray(value)) return value.some((item) => longestCacheTtl(item) === "1h") ? "1h" : "5m";
  if (!isRecord(value)) return "5m";
  const control = value["cache_control"];
  if (isRecord(control) && control["ttl"] === "1h") return "1h";
  return longestCacheTtl(Object.values(value));
}

function rewrite(bytes: Buffer, object: JsonObject, edit: ChatRequestEdit): Buffer {
  const { value } = object;
  const splices: Splice[] = dropUnsealedThinking(bytes, object);
  if (value["model"] !== edit.model) splices.push(setMember(object, "model", JSON.stringify(edit.model)));
  if (edit.stream !== undefined && edit.stream !== (value["stream"] === true)) {
    splices.push(setMember(object, "stream", String(edit.stream)));
  }
  return splices.length === 0 ? bytes : spliceBytes(bytes, splices);
}

function requestOf(bytes: Buffer, object: JsonObject): ChatRequest {
  const { value: body } = object;
  const maxTokens = body["max_tokens"];
  return {
    model: String(body["model"]),
    stream: body["stream"] === true,
    // A stream of this protocol always tells its usage.
    includeUsage: true,
    maxTokens: typeof maxTokens === "number" ? maxTokens : null,
    n: 1,
    ...measurePrompt(object, walkMessages),
    cacheTtl: longestCacheTtl(body),
    get body() {
      return object.whole();
    },
    rewrite: (edit) => rewrite(bytes, object, edit),
    neutral: () => readNeutral(object.whole()),
    promptText: () => promptTextOf(object, walkMessages),
  };
}

function createReader(schema: TSchema): (body: Uint8Array) => ChatRequestReading {
  const findMistakes: MistakeFinder = createMistakeFinder(schema);
  return (body) => {
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    const reading = readJsonObject(bytes, GUARDED);
    if (!reading.ok) return reading;
    const mistakes = findMistakes(reading.object.value);
    if (mistakes.length > 0) return { ok: false, fault: invalidBody(mistakes) };
    try {
      return { ok: true, request: requestOf(bytes, reading.object) };
    } catch (error) {
      // Data of an image that is no JSON string shows itself only when the whole body is read.
      if (error instanceof Fault) return { ok: false, fault: error };
      throw error;
    }
  };
}

/**
 * The body of `POST /v1/messages`. Validates without coercing any type; unknown fields pass (contract §5). Refuses what is ambiguous (see
 * read-json-object.ts). The bytes are kept, not copied: they must not change while the request lives.
 */
export const readMessagesRequest = createReader(MessagesRequestBody);

/** The body of `POST /v1/messages/count_tokens`: the same request, which needs no limit. */
export const readCountTokensRequest = createReader(CountTokensRequestBody);
