/** Asks a provider for the balance: once, bounded, and with the credential in nothing that is told of it. */
import type { BalanceFailure, BalanceKind } from "../../contract/enums/balance-kind.ts";
import type { Outgoing } from "../../net/outgoing.ts";
import { partsOf } from "../chat-post.ts";
import { exchangeJson } from "../tasks/exchange-json.ts";
import { BALANCE_SHAPES } from "./balance-shapes.ts";
import { readBalance, type ReportedBalance } from "./read-balance.ts";

export interface BalanceQuestion {
  readonly kind: BalanceKind;
  /** Of the upstream. */
  readonly upstreamUrl: string;
  /** Where it is asked instead; its path stands before the endpoint's. */
  readonly baseUrl: string | null;
  readonly credential: string;
}

export type BalanceOutcome =
  | ({ readonly kind: "balance" } & ReportedBalance)
  | {
      readonly kind: "failed";
      readonly why: Exclude<BalanceFailure, "no_credential">;
      /** HTTP; null: no answer. */
      readonly status: number | null;
    };

/** An endpoint of figures answers soon or not at all. */
const TIMEOUTS_MS = { connect: 5_000, firstByte: 10_000, idle: 5_000 };
const ANSWER_BYTES = 64_000;

/** Never rejects. */
export async function askBalance(
  outgoing: Outgoing,
  question: BalanceQuestion,
  signal: AbortSignal,
): Promise<BalanceOutcome> {
  const shape = BALANCE_SHAPES[question.kind];
  const where = question.baseUrl ?? shape.baseUrl ?? new URL(question.upstreamUrl).origin;
  const { origin, path } = partsOf({ baseUrl: where, timeoutsMs: TIMEOUTS_MS });
  const result = await exchangeJson(
    outgoing,
    {
      origin,
      path: `${path}${shape.path}`,
      method: "GET",
      headers: {
        authorization: `${shape.scheme} ${question.credential}`,
        accept: "application/json",
        "accept-encoding": "identity",
        "user-agent": "tollgate",
      },
      body: null,
      connectTimeoutMs: TIMEOUTS_MS.connect,
      firstByteTimeoutMs: TIMEOUTS_MS.firstByte,
      idleTimeoutMs: TIMEOUTS_MS.idle,
    },
    signal,
    ANSWER_BYTES,
  );
  if (result.kind === "failed") return { kind: "failed", why: "no_answer", status: null };
  const { status, json } = result;
  if (status !== 200) return { kind: "failed", why: "refused", status };
  const reading = readBalance(shape, new URL(origin).hostname, json);
  return reading.kind === "failed" ? { ...reading, status } : reading;
}
