/** What a hold carries about its request, so that any process can write the receipt when the one that served it has died. */
import { isUuid, type Uuid } from "../kernel/ids.ts";
import { TOKEN_USAGE_COUNTS, type TokenUsage, type UsageSource } from "../kernel/token-usage.ts";
import { isRecord } from "../protocol/json/is-record.ts";
import type { ChatEndpoint } from "../protocol/chat-dialect.ts";

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
  /** The caller will ask again by its idempotency key, and pay then: what was delivered when the process died is not charged. */
  readonly idempotent?: true;
}

export function encodeHoldDetail(detail: HoldDetail): string {
  return JSON.stringify(detail);
}

/** Null for a text that is not a whole HoldDetail: of another version, of another kind of hold, or damaged. */
export function decodeHoldDetail(text: string): HoldDetail | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  return isHoldDetail(value) ? value : null;
}

function isHoldDetail(value: unknown): value is HoldDetail {
  if (!isRecord(value)) return false;
  const { accountId, keyId, endpoint, modelRequested, model, stream, startedAt, priceVersion, usage, usageSource, idempotent } = value;
  return (
    typeof accountId === "string" &&
    isUuid(accountId) &&
    (keyId === null || (typeof keyId === "string" && isUuid(keyId))) &&
    (endpoint === "chat.completions" || endpoint === "messages") &&
    typeof modelRequested === "string" &&
    typeof model === "string" &&
    typeof stream === "boolean" &&
    typeof startedAt === "string" &&
    !Number.isNaN(Date.parse(startedAt)) &&
    Number.isSafeInteger(priceVersion) &&
    isUsage(usage) &&
    (usageSource === "upstream" || usageSource === "counted" || usageSource === "none") &&
    (idempotent === undefined || idempotent === true)
  );
}

function isUsage(value: unknown): value is TokenUsage {
  return isRecord(value) && TOKEN_USAGE_COUNTS.every((count) => Number.isSafeInteger(value[count]));
}
