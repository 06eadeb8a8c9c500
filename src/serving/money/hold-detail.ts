/**
 * What a hold carries about its request, so that any process can write the receipt when the one
 * that served it has died.
 */
import { CHAT_ENDPOINTS, type ChatEndpoint } from "../../contract/enums/chat-endpoint.ts";
import { isUsageSource, type UsageSource } from "../../contract/enums/usage-source.ts";
import type { ChatUse } from "../../contract/price/chat-tariff.ts";
import type { VariantUse } from "../../contract/price/resolve-use.ts";
import { isUuid, type Uuid } from "../../kernel/ids.ts";
import { NO_USAGE, TOKEN_USAGE_COUNTS, type TokenUsage } from "../../kernel/token-usage.ts";
import { isRecord } from "../../protocol/json/is-record.ts";
import { readChargedParts } from "./charged-parts.ts";
import type { UnfinishedRequest } from "../../ledger/journals.store.ts";

/** Decimal text. */
export interface CountFactorText {
  readonly input: string;
  readonly output: string;
}

export interface HoldDetail {
  readonly accountId: Uuid;
  readonly keyId: Uuid | null;
  readonly endpoint: ChatEndpoint;
  readonly modelRequested: string;
  readonly model: string;
  readonly stream: boolean;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly priceVersion: number;
  /** What had been delivered when the hold was last recorded. */
  readonly usage: TokenUsage;
  readonly usageSource: UsageSource;
  /**
   * What the count was multiplied by; absent where it was by nothing, or the upstream told its
   * usage.
   */
  readonly countFactor?: CountFactorText;
  /** What counts beside tokens, and for what it was asked; absent where tokens alone do. */
  readonly use?: ChatUse;
  readonly variants?: readonly VariantUse[];
  /** Tools that the model went without, by name; absent where it had all. */
  readonly droppedTools?: readonly string[];
  /**
   * The caller will ask again by its idempotency key, and pay then: what was delivered when the
   * process died is not charged.
   */
  readonly idempotent?: true;
}

/**
 * What of it is written with the hold. Account, key and price version are the hold's own; usage is
 * absent while nothing was delivered.
 */
type StoredDetail = Omit<
  HoldDetail,
  "accountId" | "keyId" | "priceVersion" | "usage" | "usageSource"
> &
  Partial<Pick<HoldDetail, "keyId" | "usage" | "usageSource">>;

/**
 * JSON, written once for each request and mostly never read: by hand, and no more than recovery
 * cannot know otherwise.
 */
export function encodeHoldDetail(detail: HoldDetail): string {
  const { endpoint, modelRequested, model, stream, startedAt, usage, usageSource } = detail;
  const names = `"modelRequested":${JSON.stringify(modelRequested)},"model":${JSON.stringify(model)}`;
  const delivered =
    usageSource === "none"
      ? ""
      : `,"usage":${JSON.stringify(usage)},"usageSource":"${usageSource}"`;
  const { use, variants, countFactor } = detail;
  const factor = countFactor === undefined ? "" : `,"countFactor":${JSON.stringify(countFactor)}`;
  const parts = `${use === undefined ? "" : `,"use":${JSON.stringify(use)}`}${variants === undefined ? "" : `,"variants":${JSON.stringify(variants)}`}`;
  const { droppedTools } = detail;
  const dropped =
    droppedTools === undefined ? "" : `,"droppedTools":${JSON.stringify(droppedTools)}`;
  const idempotent = detail.idempotent === true ? ',"idempotent":true' : "";
  return `{"endpoint":"${endpoint}",${names},"stream":${stream},"startedAt":"${startedAt}"${delivered}${factor}${parts}${dropped}${idempotent}}`;
}

/**
 * The detail of a hold, with what the hold itself says. Null for one whose text is not a whole
 * detail: of another version, of another kind of hold, or damaged. The version before this one
 * wrote all of it into the text, and a key in the text is the key.
 */
export function decodeHoldDetail(
  hold: Pick<UnfinishedRequest, "accountId" | "budgetId" | "priceVersion" | "detail">,
): HoldDetail | null {
  let value: unknown;
  try {
    value = JSON.parse(hold.detail);
  } catch {
    return null;
  }
  if (!isStoredDetail(value)) return null;
  const { accountId, priceVersion } = hold;
  const { use: _use, variants: _variants, ...known } = value;
  return {
    usage: NO_USAGE,
    usageSource: "none",
    keyId: hold.budgetId,
    ...known,
    ...readChargedParts(value),
    accountId,
    priceVersion,
  };
}

function isStoredDetail(value: unknown): value is StoredDetail {
  if (!isRecord(value)) return false;
  const {
    keyId,
    endpoint,
    modelRequested,
    model,
    stream,
    startedAt,
    usage,
    usageSource,
    countFactor,
    droppedTools,
    idempotent,
  } = value;
  return (
    (keyId === undefined || keyId === null || (typeof keyId === "string" && isUuid(keyId))) &&
    CHAT_ENDPOINTS.some((known) => known === endpoint) &&
    typeof modelRequested === "string" &&
    typeof model === "string" &&
    typeof stream === "boolean" &&
    typeof startedAt === "string" &&
    !Number.isNaN(Date.parse(startedAt)) &&
    (usage === undefined) === (usageSource === undefined) &&
    (usage === undefined || isUsage(usage)) &&
    (usageSource === undefined || isUsageSource(usageSource)) &&
    (countFactor === undefined || isCountFactor(countFactor)) &&
    (droppedTools === undefined || isTexts(droppedTools)) &&
    (idempotent === undefined || idempotent === true)
  );
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((text) => typeof text === "string");
}

export function isCountFactor(value: unknown): value is CountFactorText {
  return (
    isRecord(value) && typeof value["input"] === "string" && typeof value["output"] === "string"
  );
}

function isUsage(value: unknown): value is TokenUsage {
  return isRecord(value) && TOKEN_USAGE_COUNTS.every((count) => Number.isSafeInteger(value[count]));
}
