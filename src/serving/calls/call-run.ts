/** One admitted call from its hold to its receipt. */
import type {
  CallModel,
  CallRoute,
  Catalogue,
  DisconnectPolicy,
} from "../../catalogue/catalogue.ts";
import type { CodedReason } from "../../contract/operator/upstream-reason.ts";
import type { CallBound } from "../../contract/price/price-call.ts";
import { assert } from "../../kernel/assert.ts";
import type { Slotted } from "../../kernel/slot-list.ts";
import type { Nano } from "../../kernel/money.ts";
import type { AskedCall, CallMeasure, CallStreaming } from "../../protocol/calls/call-protocol.ts";
import type { RatePass } from "../admission/rate-gate.ts";
import type { IdempotentAnswer } from "../chat/idempotent-answer.ts";
import type { Relay } from "../chat/relay-stream.ts";
import type { Permit } from "../routing/concurrency-limiter.ts";
import type { CallRequest } from "./call-request.ts";

export interface CallAttempt {
  readonly upstream: string;
  readonly model: string;
  /** `skipped`: passed over without a call. */
  readonly outcome: "served" | "failed" | "skipped";
  readonly status: number | null;
  readonly reason: string | null;
  readonly coded?: CodedReason;
  readonly ms: number;
}

/** What a request asks for, and may. */
export interface CheckedCall {
  readonly asked: AskedCall;
  /** The one that it was admitted by, whatever comes into force meanwhile. */
  readonly catalogue: Catalogue;
  readonly model: CallModel;
  readonly modelRequested: string;
  /** The name that the answer gives the model; null leaves the upstream's. */
  readonly answerModel: string | null;
  readonly priceVersion: number;
  readonly measure: CallMeasure;
  /** What its hold goes by, and what it comes to. */
  readonly bound: CallBound;
  readonly atMostNano: Nano;
}

/** An upstream is being called. */
export interface CallUnderWay {
  readonly exchange: { abort(): void };
  readonly onDisconnect: DisconnectPolicy;
}

/** A route has answered. */
export interface ServedBy {
  readonly route: CallRoute;
  /** At the upstream, kept until the hold has ended. */
  readonly place: Permit;
}

export interface CallRun extends CheckedCall, Slotted {
  readonly kind: "run";
  readonly call: CallRequest;
  heldNano: Nano;
  readonly idempotent: IdempotentAnswer | null;
  readonly pass: RatePass;
  attempts: readonly CallAttempt[];
  underWay: CallUnderWay | null;
  served: ServedBy | null;
  /** While its answer is streamed. */
  relay: Relay | null;
  firstContentMs: number | null;
  /** The process ends and the deadline of its drain has come. */
  cut: boolean;
  /** A whole answer is waited for until then. */
  answerByMs: number;
  /** It did not come in that time. */
  late: boolean;
  /** Since when its caller has heard nothing. */
  lastWriteMs: number;
  /** Null while its caller is there. */
  goneAtMs: number | null;
}

export function createCallRun(
  call: CallRequest,
  checked: CheckedCall,
  admission: Pick<CallRun, "heldNano" | "idempotent" | "pass">,
): CallRun {
  return {
    kind: "run",
    slot: -1,
    call,
    ...checked,
    ...admission,
    attempts: [],
    underWay: null,
    served: null,
    relay: null,
    firstContentMs: null,
    cut: false,
    answerByMs: Infinity,
    late: false,
    lastWriteMs: call.startedMs,
    goneAtMs: null,
  };
}

/** Of one that is answered by a stream. */
export function streamingOf({ call, asked }: Pick<CallRun, "call" | "asked">): CallStreaming {
  const streaming = asked.streaming ?? call.dialect.protocol.streaming;
  assert(streaming !== null, "a stream is asked for where answers may be streamed");
  return streaming;
}

/** What that does to the work in progress is the upstream's policy. */
export function callerLeft({ relay, underWay, idempotent }: CallRun): void {
  if (underWay === null) return;
  // The caller of a request with an idempotency key was waited for already.
  const policy = idempotent === null ? underWay.onDisconnect : "abort";
  if (relay !== null) relay.clientGone(policy);
  else if (policy === "abort") underWay.exchange.abort();
}

/** The deadline of a drain has come. */
export function cutOff(run: CallRun): void {
  run.cut = true;
  if (run.relay !== null) run.relay.shutDown();
  else run.underWay?.exchange.abort();
}

/** A whole answer is not waited for any longer. */
export function giveUpWaiting(run: CallRun): void {
  run.late = true;
  run.underWay?.exchange.abort();
}
