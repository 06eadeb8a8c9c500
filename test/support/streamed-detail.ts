/** What a hold says of a stream that goes on, for tests of how it is ended after its process died. */
import type { Uuid } from "../../src/kernel/ids.ts";
import { NO_USAGE } from "../../src/kernel/token-usage.ts";
import { encodeHoldDetail, type HoldDetail } from "../../src/serving/money/hold-detail.ts";

/** With so many output tokens delivered, by our count. */
export function streamedDetail(
  accountId: Uuid,
  outputTokens: number,
  more: Partial<HoldDetail> = {},
): string {
  return encodeHoldDetail({
    accountId,
    keyId: null,
    endpoint: "chat.completions",
    modelRequested: "asked",
    model: "served",
    stream: true,
    startedAt: "2026-11-21T09:30:00.000Z",
    priceVersion: 3,
    usage: { ...NO_USAGE, outputTokens },
    usageSource: outputTokens > 0 ? "counted" : "none",
    ...more,
  });
}
