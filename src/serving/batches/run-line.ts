/** Runs one line as an ordinary request of its model and endpoint, through the service of that, and tells what it came to. */
import { buffer } from "node:stream/consumers";
import type { LeasedLine, LineAnswer } from "../../batches/batch-record.ts";
import {
  isBatchCall,
  type BatchCallEndpoint,
  type BatchEndpoint,
} from "../../contract/enums/batch-endpoint.ts";
import { backoffMs } from "../../kernel/backoff.ts";
import type { Clock } from "../../kernel/clock.ts";
import { Fault, toFault } from "../../kernel/faults.ts";
import { newUuid } from "../../kernel/ids.ts";
import { NO_RATE_LIMITS } from "../../kernel/rate-limits.ts";
import { CHAT_DIALECTS } from "../../protocol/chat-dialects.ts";
import type { ObjectStorage } from "../../storage/object-storage.ts";
import type { Caller } from "../admission/find-caller.ts";
import { jsonDialect } from "../calls/call-dialects.ts";
import type { CallDialect } from "../calls/call-request.ts";
import type { CallService } from "../calls/serve-call.ts";
import type { ChatReply, RawCall } from "../chat/chat-call.ts";
import { SILENT_TRACER } from "../chat/chat-trace.ts";
import type { ChatService } from "../chat/serve-chat.ts";
import { BATCH_CALLS } from "./batch-calls.ts";
import type { BatchPace } from "./batch-limits.ts";
import type { BatchMoney } from "./batch-money.ts";
import type { LineEnd } from "./end-line.ts";
import { refusalOf } from "./refusal-of.ts";

export interface RunLineDeps {
  readonly clock: Clock;
  readonly storage: Pick<ObjectStorage, "read">;
  readonly money: BatchMoney;
  readonly pace: BatchPace;
  /** That runs lines at the prices of this version; null: they cannot be read now. */
  servicesOf(priceVersion: number): Promise<LineServices | null>;
}

export interface LineServices {
  readonly chat: Pick<ChatService, "serve">;
  readonly calls: Pick<CallService, "serve">;
}

export type LineOutcome =
  | ({ readonly kind: "over" } & LineEnd)
  /** It came to nothing, and is to be tried again after so long. */
  | { readonly kind: "again"; readonly afterMs: number };

/** Rejects with what is no answer of any kind, such as a storage that does not answer. */
export async function runLine(deps: RunLineDeps, line: LeasedLine): Promise<LineOutcome> {
  const requestId = newUuid();
  const over = (answer: LineAnswer): LineOutcome => ({
    kind: "over",
    requestId,
    answer,
    settlement: null,
  });
  // It may be what ends the processes that run it.
  if (line.tries > deps.pace.mostTries * 2)
    return over(refusalOf(line.shape, new Fault("internal_error"), requestId));
  const services = await deps.servicesOf(line.priceVersion);
  if (services === null) return { kind: "again", afterMs: deps.pace.longestPauseMs };
  const body = await readBody(deps, line);
  if (body === null) return over(refusalOf(line.shape, INPUT_GONE, requestId));
  deps.money.begin(requestId, line.quoteNano);
  const capture = createCapture();
  let fault: Fault | null = null;
  try {
    await serve(services, line.endpoint, {
      requestId,
      startedAt: deps.clock.now(),
      startedMs: deps.clock.monotonicMs(),
      key: callerOf(line),
      ip: "",
      body,
      idempotencyKey: null,
      forward: line.passedOn.forward,
      query: line.passedOn.query,
      reply: capture.reply,
      trace: SILENT_TRACER.begin(requestId, "batch", deps.clock.now(), 0, null),
    });
  } catch (error) {
    fault = toFault(error);
  }
  const settlement = deps.money.end(requestId);
  const { answer } = capture;
  if (fault === null && answer !== null) return { kind: "over", requestId, answer, settlement };
  const shown = fault ?? new Fault("internal_error");
  if (isPassing(shown) && line.tries < deps.pace.mostTries)
    return { kind: "again", afterMs: pauseMs(deps.pace, line, shown) };
  return { kind: "over", requestId, answer: refusalOf(line.shape, shown, requestId), settlement };
}

function serve(
  { chat, calls }: LineServices,
  endpoint: BatchEndpoint,
  sent: Omit<RawCall<never>, "dialect">,
): Promise<void> {
  return isBatchCall(endpoint)
    ? calls.serve({ ...sent, dialect: CALL_DIALECTS[endpoint] })
    : chat.serve({ ...sent, dialect: CHAT_DIALECTS[endpoint] });
}

const CALL_DIALECTS: Readonly<Record<BatchCallEndpoint, CallDialect>> = {
  embeddings: jsonDialect(BATCH_CALLS.embeddings),
  completions: jsonDialect(BATCH_CALLS.completions),
  moderations: jsonDialect(BATCH_CALLS.moderations),
};

const INPUT_GONE = new Fault("invalid_request", {
  message: "The input file of the batch is not there any more.",
});

/** What may be over when the line is tried again. */
function isPassing({ status }: Fault): boolean {
  return status === 429 || status >= 500;
}

function pauseMs(pace: BatchPace, { tries }: LeasedLine, fault: Fault): number {
  const { firstPauseMs: firstMs, longestPauseMs: longestMs } = pace;
  const askedMs = (fault.details.retryAfterSeconds ?? 0) * 1000;
  return Math.max(
    backoffMs(tries - 1, { firstMs, longestMs }, Math.random),
    Math.min(askedMs, longestMs),
  );
}

async function readBody(
  { storage }: RunLineDeps,
  { inputName, firstByte, bytes }: LeasedLine,
): Promise<Buffer | null> {
  const source = await storage.read(inputName, { first: firstByte, last: firstByte + bytes - 1 });
  return source === null ? null : buffer(source);
}

/** What its key may do was decided when the batch was admitted, whatever became of the key since. */
function callerOf({ accountId, keyId }: LeasedLine): Caller {
  return {
    keyId,
    accountId,
    hash: "",
    mask: "",
    name: "",
    createdAt: new Date(0),
    expiresAt: null,
    deletedAt: null,
    lastUsedAt: null,
    models: null,
    ips: null,
    groupId: null,
    groupModels: null,
    groupFrozen: false,
    ...NO_RATE_LIMITS,
    accountLimits: NO_RATE_LIMITS,
  };
}

/** Keeps a whole answer; a line is never streamed. */
function createCapture(): { readonly reply: ChatReply; readonly answer: LineAnswer | null } {
  let answer: LineAnswer | null = null;
  const refuseStream = (): never => {
    throw new Error("a line of a batch has a whole answer");
  };
  return {
    get answer() {
      return answer;
    },
    reply: {
      gone: false,
      onGone: () => undefined,
      showStanding: () => undefined,
      note: () => undefined,
      json(status, _headers, body) {
        answer = { state: "succeeded", status, body };
      },
      startStream: refuseStream,
      streamStarted: false,
      write: refuseStream,
      onDrain: () => undefined,
      end: refuseStream,
      breakOff: refuseStream,
    },
  };
}
