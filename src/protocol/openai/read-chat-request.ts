/**
 * A chat completions request: validated, measured, and ready to be sent on with only the named
 * values changed.
 */
import { ChatRequestBody } from "../../contract/chat-request.ts";
import { createMistakeFinder } from "../../contract/find-mistakes.ts";
import { Fault } from "../../kernel/faults.ts";
import { invalidBody } from "../invalid-body.ts";
import { isRecord } from "../json/is-record.ts";
import { readJsonObject, type JsonObject } from "../json/read-json-object.ts";
import { foldKey } from "../json/scan-object.ts";
import { createRequestReaders, type ReadFields } from "../parsed-chat-request.ts";
import type { PriceRaise } from "../../kernel/price-raises.ts";
import {
  cacheLifeOf,
  GUARDED_RAISES,
  withRaises,
  type PricedObjectReading,
} from "../raises/priced-object.ts";
import { readNeutral } from "./neutral-from-request.ts";
import { readPlainRequest } from "./plain-request.ts";
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

function readFields({ value: body }: JsonObject, raises: readonly PriceRaise[]): ReadFields {
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
function readObject(bytes: Buffer): PricedObjectReading {
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

/** The body of `POST /v1/chat/completions`. */
export const { read: readChatRequest, readInSlices: readChatRequestInSlices } =
  createRequestReaders(
    readObject,
    { walk: walkPrompt, readFields, readNeutral, rewrite: rewriteChatRequest },
    readPlainRequest,
  );
