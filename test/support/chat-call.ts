/** A chat request as a endpoint hands it over, whose caller is there and takes whatever comes. */
import type { ChatCall, ChatReply } from "../../src/serving/chat/chat-call.ts";
import { SILENT_TRACER } from "../../src/serving/chat/chat-trace.ts";
import { newUuid } from "../../src/kernel/ids.ts";
import { NO_RATE_LIMITS } from "../../src/kernel/rate-limits.ts";
import { openAiDialect } from "../../src/protocol/openai/dialect.ts";
import { keyRecord } from "./key-record.ts";

const REPLY: ChatReply = {
  gone: false,
  onGone: () => undefined,
  showStanding: () => undefined,
  note: () => undefined,
  json: () => undefined,
  startStream: () => undefined,
  streamStarted: false,
  write: () => true,
  onDrain: () => undefined,
  end: () => undefined,
  breakOff: () => undefined,
};

/** For the model `m`. */
export function chatCall(
  fields: Partial<Pick<ChatCall, "idempotencyKey" | "query">> = {},
  stream = false,
): ChatCall {
  const requestId = newUuid();
  return {
    dialect: openAiDialect,
    requestId,
    startedAt: new Date(0),
    startedMs: 0,
    key: { ...keyRecord(), accountLimits: NO_RATE_LIMITS },
    ip: "127.0.0.1",
    body: Buffer.from(
      JSON.stringify({ model: "m", stream, messages: [{ role: "user", content: "hi" }] }),
    ),
    idempotencyKey: null,
    forward: {},
    query: "",
    reply: REPLY,
    trace: SILENT_TRACER.begin(requestId, "/v1/chat/completions", new Date(0), 0, null),
    ...fields,
  };
}
