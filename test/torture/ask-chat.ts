/** One attempt of a client at a chat request, with all that it saw of the answer. */
import { parseRequestId } from "../../src/kernel/ids.ts";
import { parseRoubles } from "../../src/kernel/money.ts";
import { postChat } from "../support/post-chat.ts";
import { readAnswer } from "./read-answer.ts";
import type { Stage } from "./stage.ts";
import type { Attempt, ChatTrace, Dialect } from "./trace.ts";
import { markerText } from "./upstream-count.ts";

export interface ChatWish {
  /** Words of the sandbox that say what the answer shall be like. */
  readonly directives: string;
  readonly maxTokens: number;
  /** The client goes away after so many pieces of a stream; null: it stays. */
  readonly leaveAfter: number | null;
}

/** A client waits so long, and goes away. */
const PATIENCE_MS = 25_000;
const PIECE: Readonly<Record<Dialect, string>> = {
  openai: `"content":"`,
  messages: `"text_delta"`,
  responses: `"response.output_text.delta"`,
};
const PATH: Readonly<Record<Dialect, string>> = {
  openai: "/v1/chat/completions",
  messages: "/v1/messages",
  responses: "/v1/responses",
};

function bodyOf(chat: ChatTrace, { directives, maxTokens }: ChatWish): object {
  const content = `Say something. ${markerText(chat.marker)} [[sandbox: ${directives}]]`;
  const { dialect, model, stream, store, previous } = chat;
  const question = [{ role: "user", content }];
  if (dialect === "responses") {
    const goesOn = previous === null ? {} : { previous_response_id: previous.responseId };
    return { model, max_output_tokens: maxTokens, stream, store, ...goesOn, input: question };
  }
  const usage = stream && dialect === "openai" ? { stream_options: { include_usage: true } } : {};
  return { model, max_tokens: maxTokens, stream, messages: question, ...usage };
}

/** Adds what came of it to the trace, and gives it back. */
export async function askChat(
  stage: Stage,
  chat: ChatTrace,
  secret: string,
  wish: ChatWish,
  gateway: number,
): Promise<Attempt> {
  const url = stage.fleet.urlOf(gateway);
  const startedMs = stage.nowMs();
  const attempt =
    url === null
      ? null
      : await sendChat(stage, chat, url, secret, wish, gateway, startedMs).catch(() => null);
  const unanswered: Attempt = {
    startedMs,
    firstMs: null,
    endedMs: stage.nowMs(),
    gateway,
    status: null,
    requestId: null,
    originalId: null,
    end: "none",
    comeAgain: true,
    text: "",
    costNano: null,
    usage: null,
    code: null,
    keptId: null,
  };
  const made = attempt ?? unanswered;
  if (url !== null) chat.attempts.push(made);
  return made;
}

async function sendChat(
  stage: Stage,
  chat: ChatTrace,
  url: string,
  secret: string,
  wish: ChatWish,
  gateway: number,
  startedMs: number,
): Promise<Attempt> {
  const exchange = postChat(
    url,
    secret,
    bodyOf(chat, wish),
    PATH[chat.dialect],
    chat.idempotencyKey === null ? {} : { "idempotency-key": chat.idempotencyKey },
  );
  let left = false;
  const leave = (): void => {
    left = true;
    exchange.leave();
  };
  const late = setTimeout(leave, PATIENCE_MS);
  const { ambush } = stage;
  let firstMs: number | null = null;
  if (chat.stream)
    exchange.seen(PIECE[chat.dialect]).then(
      () => (firstMs = stage.nowMs()),
      () => undefined,
    );
  const place = wish.leaveAfter ?? (chat.stream ? ambush : null);
  if (place !== null) {
    const over = exchange.answer.then(
      () => undefined,
      () => undefined,
    );
    const seen = exchange.seen(PIECE[chat.dialect], place).then(
      () => (wish.leaveAfter === null ? stage.onPiece(gateway, place) : leave()),
      () => undefined,
    );
    // No text comes of a request that has no answer.
    await Promise.race([seen, over]);
  }
  try {
    const answer = await exchange.answer;
    const read = readAnswer(chat.dialect, chat.stream, answer);
    const { headers, status } = answer;
    return {
      startedMs,
      firstMs,
      endedMs: stage.nowMs(),
      gateway,
      status,
      requestId: parseRequestId(answer.requestId),
      originalId: idOf(headers["x-tollgate-original-request-id"]),
      // What says that it is over is over, whether or not the connection ended well behind it.
      end: read.over ? "complete" : left ? "left" : "broken",
      comeAgain: headers["retry-after"] !== undefined,
      text: read.text,
      costNano: nanoOf(headers["x-tollgate-cost"]),
      usage: read.usage,
      code: read.code,
      keptId: read.keptId,
    };
  } finally {
    clearTimeout(late);
  }
}

function idOf(header: unknown): string | null {
  return typeof header === "string" ? parseRequestId(header) : null;
}

function nanoOf(header: unknown): bigint | null {
  return typeof header === "string" ? parseRoubles(header) : null;
}
