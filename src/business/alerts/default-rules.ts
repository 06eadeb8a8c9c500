/**
 * The rules that every account has from the beginning, for its owners to change or switch off: few,
 * and quiet for steady spending.
 */
import type { NewRule } from "./rules.store.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { newUuid } from "../../kernel/ids.ts";
import { nano, NANO_PER_ROUBLE } from "../../kernel/money.ts";

const LOW_BALANCE_NANO = nano(500n * NANO_PER_ROUBLE);
/** In an hour; whatever is less is no harm. */
const SPIKE_FLOOR_NANO = nano(1_000n * NANO_PER_ROUBLE);
const SPIKE_FACTOR = 5;

export function defaultRules(accountId: Uuid): NewRule[] {
  const all = {
    accountId,
    subjectId: accountId,
    percent: null,
    keyHash: null,
    groupId: null,
    enabled: true,
    mailTo: "owners",
    telegramTo: "owners",
    memberIds: [],
    webhookUrl: null,
  } as const;
  return [
    {
      ...all,
      ruleId: newUuid(),
      kind: "balance_below",
      thresholdNano: LOW_BALANCE_NANO,
      factor: null,
    },
    {
      ...all,
      ruleId: newUuid(),
      kind: "spend_spike",
      thresholdNano: SPIKE_FLOOR_NANO,
      factor: SPIKE_FACTOR,
    },
  ];
}
