/**
 * A chat completions request: validated, measured, and ready to be sent on with only the named
 * values changed.
 */
import { ChatRequestBody } from "../../contract/chat-request.ts";
import { createMistakeFinder } from "../../contract/find-mistakes.ts";
import { Fault } from "../../kernel/faults.ts";
import type { ChatRequestReading } from "../chat-request.ts";
import { invalidBody } from "../invalid-body.ts";
import { isRecord } from "../json/is-record.ts";
import { readJsonObject, type JsonObject } from "../json/read-json-object.ts";
import { foldKey } from "../json/scan-object.ts";
import {
  measured,
  measuredInSlices,
  type BodyProtocol,
  type ReadFields,
} from "../parsed-chat-request.ts";
import type { PriceRaise } from "../../kernel/price-raises.ts";
import {
  cacheLifeOf,
  GUARDED_RAISES,
  withRaises,
  type PricedObjectReading,
} from "../raises/priced-object.ts";
import { readNeutral } from "./neutral-from-request.ts";
import { rewriteChatRequest } from "./rewrite-chat-request.ts";
import { walkPrompt } from "./walk-prompt.ts";

/** What the gateway reads to price a request: none of it may be ambiguous. */
const GUARDED = [
  ...GUARDED_RAISES,
  "model",
  "messages",
  "stream",
  "stream_options",
  "max_tokens",
  "max_completion_tokens",
  "n",
  "tools",
  "functions",
  "response_format",
];

const findMistakes = createMistakeFinder(ChatRequestBody);

/**
 * `Include_Usage` beside or in place of `include_usage`: an upstream that folds case would take it,
 * and its usage would be lost.
 */
function oddStreamOption(options: unknown): string | null {
  if (!isRecord(options)) return null;
  for (const key in options)
    if (key !== "include_usage" && foldKey(key) === "include_usage") return key;
  return null;
}

/** A number that the validator has passed; null stands for "not set". */
function numberOr<T>(value: unknown, absent: T): number | T {
  return typeof value === "number" ? value : absent;
}

const PROTOCOL: BodyProtocol = { walk: walkPrompt, readNeutral, rewrite: rewriteChatRequest };

function fieldsOf({ value: body }: JsonObject, raises: readonly PriceRaise[]): ReadFields {
  const options = body["stream_options"];
  return {
    model: String(body["model"]),
    stream: body["stream"] === true,
    includeUsage: isRecord(options) && options["include_usage"] === true,
    maxTokens: numberOr(body["max_completion_tokens"], numberOr(body["max_tokens"], null)),
    n: numberOr(body["n"], 1),
    cacheTtl: cacheLifeOf(raises),
    raises,
  };
}

/** All but the measure. */
function readObject(body: Uint8Array): PricedObjectReading {
  const bytes = Buffer.isBuffer(body)
    ? body
    : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const reading = readJsonObject(bytes, GUARDED, true);
  if (!reading.ok) return reading;
  const mistakes = findMistakes(reading.object.value);
  if (mistakes.length > 0) return { ok: false, fault: invalidBody(mistakes) };
  const odd = oddStreamOption(reading.object.value["stream_options"]);
  if (odd === null) return withRaises(reading.object);
  const message = `'stream_options.${odd}' is not a field. Field names are in lower case: send 'include_usage'.`;
  return {
    ok: false,
    fault: new Fault("invalid_request", { message, param: `stream_options.${odd}` }),
  };
}

/**
 * Validates without coercing any type; unknown fields pass (contract §5). Refuses what is ambiguous
 * (see read-json-object.ts). The bytes are kept, not copied: they must not change while the request
 * lives.
 */
export function readChatRequest(body: Uint8Array): ChatRequestReading {
  const reading = readObject(body);
  return reading.ok
    ? measured(reading.object, PROTOCOL, fieldsOf(reading.object, reading.raises))
    : reading;
}

/** The same, a large body slice by slice: other work of the process goes on in between. */
export async function readChatRequestInSlices(body: Uint8Array): Promise<ChatRequestReading> {
  const reading = readObject(body);
  return reading.ok
    ? measuredInSlices(reading.object, PROTOCOL, fieldsOf(reading.object, reading.raises))
    : reading;
}
