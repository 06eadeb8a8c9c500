/** A Responses request: validated, measured, and ready to be sent on or translated. */
import { createMistakeFinder } from "../../contract/find-mistakes.ts";
import { ResponsesRequestBody } from "../../contract/responses-request.ts";
import { Fault } from "../../kernel/faults.ts";
import type { PriceRaise } from "../../kernel/price-raises.ts";
import { invalidBody } from "../invalid-body.ts";
import { isRecord } from "../json/is-record.ts";
import { readJsonObject, type JsonObject } from "../json/read-json-object.ts";
import { createRequestReaders, type ReadFields } from "../parsed-chat-request.ts";
import {
  cacheLifeOf,
  GUARDED_RAISES,
  withRaises,
  type PricedObjectReading,
} from "../raises/priced-object.ts";
import { COMPACTION_TRIGGER, conversationNeeds } from "./conversation-needs.ts";
import { hostedTools } from "./hosted-tools.ts";
import { readNeutral } from "./neutral-from-request.ts";
import { rewriteRequest } from "./rewrite-request.ts";
import { walkInput } from "./walk-input.ts";

/** What the gateway reads to price a request, or may change: none of it may be ambiguous. */
const GUARDED = [
  ...GUARDED_RAISES,
  "model",
  "input",
  "instructions",
  "stream",
  "store",
  "background",
  "include",
  "reasoning",
  "max_output_tokens",
  "tools",
  "tool_choice",
  "text",
];

/** Where parts of the prompt stand; its tools are judged apart, since those without a price are left out. */
const WALKED = ["input"];

/** An answer that is kept here, and not at an upstream. */
const OWN_IDS: ReadonlySet<string> = new Set(["previous_response_id"]);

const findMistakes = createMistakeFinder(ResponsesRequestBody);

function refused(param: string, message: string): PricedObjectReading {
  return { ok: false, fault: new Fault("invalid_request", { message, param }) };
}

function readFields({ value: body }: JsonObject, raises: readonly PriceRaise[]): ReadFields {
  const maxTokens = body["max_output_tokens"];
  return {
    model: String(body["model"]),
    stream: body["stream"] === true,
    // A stream of this protocol always tells its usage.
    includeUsage: true,
    maxTokens: typeof maxTokens === "number" ? maxTokens : null,
    n: 1,
    cacheTtl: cacheLifeOf(raises),
    raises,
    hostedTools: hostedTools(body["tools"]),
    conversation: conversationNeeds(body),
  };
}

/** The path of an item that asks for a summary of all before it, and has more behind it. */
function triggerIn(input: unknown): string | null {
  if (!Array.isArray(input)) return null;
  const at = input
    .slice(0, -1)
    .findIndex((item: unknown) => isRecord(item) && item["type"] === COMPACTION_TRIGGER);
  return at < 0 ? null : `input[${at}]`;
}

/** All but the measure. */
function readObject(bytes: Buffer): PricedObjectReading {
  const reading = readJsonObject(bytes, GUARDED, true);
  if (!reading.ok) return reading;
  const body = reading.object.value;
  const mistakes = findMistakes(body);
  if (mistakes.length > 0) return { ok: false, fault: invalidBody(mistakes) };
  if (body["background"] === true)
    return refused(
      "background",
      "'background' is not taken: an answer is made while its caller waits. Leave it out, and stream the answer where it may take long.",
    );
  const trigger = triggerIn(body["input"]);
  if (trigger !== null)
    return refused(
      trigger,
      `'${trigger}' asks for a summary of all before it, so it has to be the last item.`,
    );
  return withRaises(reading.object, WALKED, OWN_IDS);
}

/** The body of `POST /v1/responses`. */
export const { read: readResponsesRequest, readInSlices: readResponsesRequestInSlices } =
  createRequestReaders(readObject, {
    walk: walkInput,
    readFields,
    readNeutral,
    rewrite: rewriteRequest,
  });
