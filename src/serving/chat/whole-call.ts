/**
 * A chat request, read; one at `/v1/responses` made whole before, with what is kept of its
 * conversation.
 */
import type { ChatDialect } from "../../protocol/chat-dialect.ts";
import type { ChatRequestReading } from "../../protocol/chat-request.ts";
import { LARGE_BODY_BYTES } from "../../protocol/json/long-strings.ts";
import { compactDialect, summaryDialect } from "../../protocol/responses/compacting-dialects.ts";
import { responsesDialect } from "../../protocol/responses/dialect.ts";
import type { Uuid } from "../../kernel/ids.ts";
import type { Conversation, Conversations } from "../responses/conversation.ts";
import { changed, type ChatCall } from "./chat-call.ts";

export interface AskedCall {
  readonly dialect: ChatDialect;
  readonly accountId: Uuid;
  /** Null: it is not made, so nothing of it is kept. */
  readonly requestId: Uuid | null;
  readonly body: Buffer;
  /** As of a caller. */
  readonly seesKept?: boolean | undefined;
}

interface WholeRequest {
  readonly reading: ChatRequestReading;
  /** What it is to be answered in. */
  readonly dialect: ChatDialect;
  readonly body: Buffer;
  /** Undefined where answers are not kept. */
  readonly conversation: Conversation | undefined;
}

/** Throws the fault of a conversation that is not there, or cannot go on. */
export async function wholeRequest(
  conversations: Conversations | undefined,
  { dialect, accountId, requestId, body, seesKept = true }: AskedCall,
): Promise<WholeRequest> {
  const reading = await read(dialect, body);
  const needs = reading.ok ? reading.request.conversation : undefined;
  if (conversations === undefined || !reading.ok || needs === undefined)
    return { reading, dialect, body, conversation: undefined };
  const { request } = reading;
  const prepared = await conversations.prepare({
    accountId,
    requestId,
    seesKept,
    model: request.model,
    body,
    parsed: () => request.body,
    needs,
  });
  const { conversation } = prepared;
  if (prepared.body === null) return { reading, dialect, body, conversation };
  return {
    // What the other dialects add to a body is in it.
    reading: await read(responsesDialect, prepared.body),
    dialect: !needs.compacts || dialect === compactDialect ? dialect : summaryDialect,
    body: prepared.body,
    conversation,
  };
}

export interface ReadCall {
  readonly call: ChatCall;
  readonly reading: ChatRequestReading;
}

/** The same for a call. */
export async function wholeCall(
  conversations: Conversations | undefined,
  sent: ChatCall,
): Promise<ReadCall> {
  const { key, requestId } = sent;
  const whole = await wholeRequest(conversations, {
    dialect: sent.dialect,
    accountId: key.accountId,
    requestId,
    body: sent.body,
    seesKept: key.seesKept,
  });
  const { reading, dialect, body, conversation } = whole;
  if (conversation === undefined) return { call: sent, reading };
  return { call: changed(sent, { dialect, body, conversation }), reading };
}

async function read(dialect: ChatDialect, body: Buffer): Promise<ChatRequestReading> {
  return body.length > LARGE_BODY_BYTES
    ? dialect.readRequestInSlices(body)
    : dialect.readRequest(body);
}
