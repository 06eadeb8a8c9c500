/** A stored receipt as its owner sees it (the public Receipt of contract/), and what only the operator sees besides. */
import type { Static } from "typebox";
import type { Receipt } from "../contract/receipt.ts";
import { formatRequestId } from "../kernel/ids.ts";
import type { Nano } from "../kernel/money.ts";
import { ZERO_NANO, formatRoubles, nano } from "../kernel/money.ts";
import { TOKEN_USAGE_COUNTS } from "../kernel/token-usage.ts";
import { isRecord } from "../protocol/json/is-record.ts";
import type { StoredReceipt } from "../usage/receipt-row.ts";

export type ReceiptView = Static<typeof Receipt>;

/** Amounts are decimal roubles. */
export interface OperatorReceiptView extends ReceiptView {
  readonly accountId: string;
  readonly keyId: string | null;
  readonly loss: string;
  /** Null where the catalogue does not say what the upstream charges. */
  readonly upstreamCost: string | null;
  readonly suspicion: string | null;
  /** With the upstream's model and its reason to fail. */
  readonly attempts: OperatorAttempt[];
}

type OperatorAttempt = NonNullable<ReceiptView["attempts"]>[number] & {
  readonly upstreamModel: string | null;
  readonly reason: string | null;
};

type Usage = Exclude<ReceiptView["usage"], undefined | null>;

/** What other rooms know of the request. */
export interface ReceiptKnowledge {
  /** Null when the key is not known any more. */
  readonly keyMask: string | null;
  /** By the entry that ended its hold; null where there is none. The receipt has only what its process had heard of: not a growth that was granted while it ended. */
  readonly heldNano: Nano | null;
}

/** Fields that an older receipt lacks are left out. */
export function receiptView(row: StoredReceipt, { keyMask, heldNano }: ReceiptKnowledge): ReceiptView {
  const { detail } = row;
  const usage = usageOf(detail["usage"]);
  const source = detail["usageSource"];
  const priceVersion = numberOf(detail["priceVersion"]);
  return {
    id: formatRequestId(row.requestId),
    endpoint: row.endpoint,
    model: row.model,
    modelRequested: row.modelRequested,
    keyMask,
    stream: detail["stream"] === true,
    state: row.state,
    startedAt: row.startedAt.toISOString(),
    completedAt: endOf(row)?.toISOString() ?? null,
    timeToFirstTokenMs: numberOf(detail["firstContentMs"]),
    finishReason: textOf(detail["finishReason"]),
    usage,
    ...(source === "upstream" || source === "counted" || source === "none" ? { usageSource: source } : {}),
    ...(priceVersion === null ? {} : { priceVersion }),
    held: formatRoubles(heldNano ?? nanoOf(detail["heldNano"]) ?? row.chargedNano),
    charged: formatRoubles(row.chargedNano),
    currency: "RUB",
    attempts: attemptsOf(detail["attempts"]).map(({ upstream, outcome, status, durationMs: took }) => ({
      upstream,
      outcome,
      status: status ?? null,
      ...(took === undefined ? {} : { durationMs: took }),
    })),
  };
}

export function operatorReceiptView(row: StoredReceipt, knowledge: ReceiptKnowledge): OperatorReceiptView {
  const cost = nanoOf(row.detail["upstreamCostNano"]);
  return {
    ...receiptView(row, knowledge),
    accountId: row.accountId,
    keyId: row.keyId,
    loss: formatRoubles(nanoOf(row.detail["lossNano"]) ?? ZERO_NANO),
    upstreamCost: cost === null ? null : formatRoubles(cost),
    suspicion: textOf(row.detail["suspicion"]),
    attempts: attemptsOf(row.detail["attempts"]),
  };
}

/** Of a process that died nobody knows when it stopped: its request ended when another process took its hold away. */
function endOf({ detail, startedAt, recordedAt }: StoredReceipt): Date | null {
  const durationMs = numberOf(detail["durationMs"]);
  if (durationMs !== null) return new Date(startedAt.getTime() + durationMs);
  return detail["recovered"] === true ? recordedAt : null;
}

function attemptsOf(stored: unknown): OperatorAttempt[] {
  if (!Array.isArray(stored)) return [];
  return stored.filter(isRecord).map((attempt) => {
    const took = numberOf(attempt["ms"]);
    return {
      upstream: textOf(attempt["upstream"]) ?? "",
      outcome: attempt["outcome"] === "served" ? "delivered" : (textOf(attempt["outcome"]) ?? ""),
      status: numberOf(attempt["status"]),
      ...(took === null ? {} : { durationMs: took }),
      upstreamModel: textOf(attempt["model"]),
      reason: textOf(attempt["reason"]),
    };
  });
}

function usageOf(stored: unknown): Usage | null {
  if (!isRecord(stored)) return null;
  const counts = TOKEN_USAGE_COUNTS.map((field) => [field, numberOf(stored[field]) ?? 0] as const);
  return Object.fromEntries(counts) as Record<(typeof TOKEN_USAGE_COUNTS)[number], number>;
}

function numberOf(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/** Amounts in the detail are decimal integers in a string, because JSON has no bigint. */
function nanoOf(value: unknown): Nano | null {
  return typeof value === "string" && /^-?\d{1,19}$/.test(value) ? nano(BigInt(value)) : null;
}
