/**
 * A Messages request: validated, measured, and ready to be sent on with only the named values
 * changed.
 */
import type { TSchema } from "typebox";
import { createMistakeFinder, type MistakeFinder } from "../../contract/find-mistakes.ts";
import { CountTokensRequestBody, MessagesRequestBody } from "../../contract/messages-request.ts";
import { Fault } from "../../kernel/faults.ts";
import type { ChatRequest, ChatRequestEdit } from "../chat-request.ts";
import { invalidBody } from "../invalid-body.ts";
import { readJsonObject, type JsonObject } from "../json/read-json-object.ts";
import { setMember } from "../json/set-members.ts";
import { spliceBytes, type Splice } from "../json/splice-bytes.ts";
import {
  createRequestReaders,
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
import { dropUnsealedThinking } from "./unsealed-thinking.ts";
import { walkMessages } from "./walk-messages.ts";

/** What the gateway reads to price a request, or may change: none of it may be ambiguous. */
const GUARDED = [
  ...GUARDED_RAISES,
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
  "thread",
];

/**
 * A conversation that the vendor keeps (`thread`, a beta) is not taken: its prompt is not in the
 * request, so nothing could be held for it, and another customer who learned a message's id could
 * go on with it, since all accounts call with the same credential. The official SDK's tool runner
 * asks for one by itself, and goes on without where it is refused in just these words (its
 * ThreadState); where it is ignored, the second turn is without the first.
 */
function threadRefused(): PricedObjectReading {
  const message =
    "'thread' is not taken: conversations are not kept here. Send all messages each time; the official SDK does so by itself " +
    'with `unsupportedRequestBehavior: "continue_unthreaded"`.';
  const forPrograms = { error_code: "thread_unsupported_request", unsupported: ["thread"] };
  return {
    ok: false,
    fault: new Fault("invalid_request", { message, param: "thread", forPrograms }),
  };
}

function rewrite(object: JsonObject, request: ChatRequest, edit: ChatRequestEdit): Buffer {
  const { bytes } = object;
  const splices: Splice[] = dropUnsealedThinking(bytes, object);
  if (request.model !== edit.model)
    splices.push(setMember(object, "model", JSON.stringify(edit.model)));
  if (edit.stream !== undefined && edit.stream !== request.stream)
    splices.push(setMember(object, "stream", String(edit.stream)));
  return splices.length === 0 ? bytes : spliceBytes(bytes, splices);
}

function readFields({ value: body }: JsonObject, raises: readonly PriceRaise[]): ReadFields {
  const maxTokens = body["max_tokens"];
  return {
    model: String(body["model"]),
    stream: body["stream"] === true,
    // A stream of this protocol always tells its usage.
    includeUsage: true,
    maxTokens: typeof maxTokens === "number" ? maxTokens : null,
    n: 1,
    cacheTtl: cacheLifeOf(raises),
    raises,
  };
}

/** All but the measure. */
function createReader(schema: TSchema): (bytes: Buffer) => PricedObjectReading {
  const findMistakes: MistakeFinder = createMistakeFinder(schema);
  return (bytes) => {
    const reading = readJsonObject(bytes, GUARDED, true);
    if (!reading.ok) return reading;
    if ((reading.object.value["thread"] ?? null) !== null) return threadRefused();
    const mistakes = findMistakes(reading.object.value);
    return mistakes.length > 0
      ? { ok: false, fault: invalidBody(mistakes) }
      : withRaises(reading.object);
  };
}

const PROTOCOL: BodyProtocol = { walk: walkMessages, readFields, readNeutral, rewrite };

/** The body of `POST /v1/messages`. */
export const { read: readMessagesRequest, readInSlices: readMessagesRequestInSlices } =
  createRequestReaders(createReader(MessagesRequestBody), PROTOCOL);

/** The body of `POST /v1/messages/count_tokens`: the same request, which needs no limit. */
export const { read: readCountTokensRequest, readInSlices: readCountTokensRequestInSlices } =
  createRequestReaders(createReader(CountTokensRequestBody), PROTOCOL);
