/**
 * A stored receipt as its owner sees it (the public Receipt of contract/), and what only the
 * operator sees besides.
 */
import type { Static } from "typebox";
import { kindOfEndpoint } from "../../contract/enums/chat-endpoint.ts";
import { CURRENCY } from "../../contract/enums/currency.ts";
import { isUsageSource } from "../../contract/enums/usage-source.ts";
import { storedCounts } from "../../contract/price/call-usage.ts";
import { decimalText, type Decimal } from "../../contract/price/decimal.ts";
import type { ExplainedPrice } from "../../contract/price/explain-price.ts";
import type { CodedWords } from "../../contract/panel/operator-requests.ts";
import type { Receipt } from "../../contract/receipt.ts";
import { formatRequestId } from "../../kernel/ids.ts";
import type { Nano } from "../../kernel/money.ts";
import { formatRoubles } from "../../kernel/money.ts";
import { isRecord } from "../../protocol/json/is-record.ts";
import type { StoredReceipt } from "../../usage/receipt-row.ts";
import { readChargedParts } from "../../serving/money/charged-parts.ts";
import { codedWords } from "./coded-words.ts";
import { lineViews, multiplierViews } from "./explain-receipt.ts";
import { isCountFactor } from "../../serving/money/hold-detail.ts";
import { storedUsage } from "./stored-usage.ts";

export type ReceiptView = Static<typeof Receipt>;

/** Amounts are decimal roubles. */
export interface OperatorReceiptView extends ReceiptView {
  readonly accountId: string;
  readonly keyId: string | null;
  readonly loss: string;
  /** Null where the catalogue does not say what the upstream charges. */
  readonly upstreamCost: string | null;
  /** The key of the route in the catalogue that would say it, where only that lacks. */
  readonly costLacks: string | null;
  readonly suspicion: string | null;
  readonly suspicionCoded: CodedWords | null;
  /** What of the upstream's count was cut to fit; the rest of it was believed. */
  readonly usageNote: string | null;
  /** With the upstream, its model and its reason to fail. */
  readonly attempts: OperatorAttempt[];
}

type OperatorAttempt = NonNullable<ReceiptView["attempts"]>[number] & {
  readonly upstream: string;
  readonly upstreamModel: string | null;
  readonly reason: string | null;
  readonly coded: CodedWords | null;
};

/** What other rooms know of the request. */
export interface ReceiptKnowledge {
  /** Null when the key is not known any more. */
  readonly keyMask: string | null;
  /** By the price list of its version; null where that cannot be said. */
  readonly explained?: ExplainedPrice | null;
}

/** Fields that an older receipt lacks are left out. */
export function receiptView(
  row: StoredReceipt,
  { keyMask, explained = null }: ReceiptKnowledge,
): ReceiptView {
  const { detail } = row;
  const { tier = null, variants = [], use } = readChargedParts(detail);
  const usage = storedUsage(detail["usage"]);
  const source = detail["usageSource"];
  const { priceVersion } = row;
  const batch = textOf(detail["batch"]);
  return {
    id: formatRequestId(row.requestId),
    kind: kindOfEndpoint(row.endpoint),
    endpoint: row.endpoint,
    model: row.model,
    modelRequested: row.modelRequested,
    ...(batch === null ? {} : { batch }),
    keyMask,
    stream: detail["stream"] === true,
    state: row.state,
    startedAt: row.startedAt.toISOString(),
    completedAt: endOf(row)?.toISOString() ?? null,
    timeToFirstTokenMs: row.firstMs,
    finishReason: textOf(detail["finishReason"]),
    usage,
    ...countsPart(detail["counts"]),
    ...(isUsageSource(source) ? { usageSource: source } : {}),
    ...(isCountFactor(detail["countFactor"]) ? { countFactor: detail["countFactor"] } : {}),
    ...(priceVersion === null ? {} : { priceVersion }),
    tier,
    variants: variants.map((variant) => ({ ...variant })),
    toolCalls: { ...use?.tools },
    droppedTools: textsOf(detail["droppedTools"]),
    ...(explained === null
      ? {}
      : { lines: lineViews(explained.lines), multipliers: multiplierViews(explained.multipliers) }),
    ...conversationView(detail["conversation"]),
    held: formatRoubles(row.heldNano ?? row.chargedNano),
    charged: formatRoubles(row.chargedNano),
    currency: CURRENCY,
    attempts: attemptsOf(detail["attempts"]).map(
      ({ number, outcome, status, durationMs: took }) => ({
        number,
        outcome,
        status: status ?? null,
        ...(took === undefined ? {} : { durationMs: took }),
      }),
    ),
  };
}

export function operatorReceiptView(
  row: StoredReceipt,
  knowledge: ReceiptKnowledge,
  lossNano: Nano,
): OperatorReceiptView {
  const { costNano } = row;
  return {
    ...receiptView(row, knowledge),
    accountId: row.accountId,
    keyId: row.keyId,
    loss: formatRoubles(lossNano),
    upstreamCost: costNano === null ? null : formatRoubles(costNano),
    costLacks: textOf(row.detail["costLacks"]),
    suspicion: textOf(row.detail["suspicion"]),
    suspicionCoded: codedWords(row.detail["suspicionCoded"]),
    usageNote: textOf(row.detail["usageNote"]),
    attempts: attemptsOf(row.detail["attempts"]),
  };
}

/** What was counted beside tokens; absent where nothing was. */
function countsPart(stored: unknown): Pick<ReceiptView, "counts"> {
  const { milliseconds, image, ...counts } = storedCounts(stored);
  const all = {
    ...counts,
    ...(milliseconds === undefined ? {} : { seconds: decimalText(thousandths(milliseconds)) }),
    ...(image === undefined ? {} : { image: { ...image } }),
  };
  return Object.keys(all).length === 0 ? {} : { counts: all };
}

function thousandths(count: number): Decimal {
  return { digits: BigInt(count), scale: 3 };
}

function conversationView(stored: unknown): Pick<ReceiptView, "conversation"> {
  if (!isRecord(stored)) return {};
  const previousId = textOf(stored["previousId"]);
  const replayedItems = numberOf(stored["replayedItems"]);
  return {
    conversation: {
      ...(previousId === null ? {} : { previousId }),
      ...(replayedItems === null ? {} : { replayedItems }),
      ...(stored["compaction"] === true ? { compaction: true } : {}),
    },
  };
}

/**
 * When a process that died stopped is unknown: its request ended when another process took its hold
 * away.
 */
function endOf({ detail, durationMs, startedAt, recordedAt }: StoredReceipt): Date | null {
  if (durationMs !== null) return new Date(startedAt.getTime() + durationMs);
  return detail["recovered"] === true ? recordedAt : null;
}

function attemptsOf(stored: unknown): OperatorAttempt[] {
  if (!Array.isArray(stored)) return [];
  return stored.filter(isRecord).map((attempt, index) => {
    const took = numberOf(attempt["ms"]);
    return {
      number: index + 1,
      upstream: textOf(attempt["upstream"]) ?? "",
      outcome: attempt["outcome"] === "served" ? "delivered" : (textOf(attempt["outcome"]) ?? ""),
      status: numberOf(attempt["status"]),
      ...(took === null ? {} : { durationMs: took }),
      upstreamModel: textOf(attempt["model"]),
      reason: textOf(attempt["reason"]),
      coded: codedWords(attempt["coded"]),
    };
  });
}

function numberOf(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((text) => typeof text === "string") : [];
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
