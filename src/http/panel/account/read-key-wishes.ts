/**
 * Reads what a key shall be as a form sends it: what is left out stays out, amounts and times are
 * checked.
 */
import type { PanelKeyChange } from "../../../contract/panel/panel-key.ts";
import type { KeySettings } from "../../../business/keys/read-key-settings.ts";
import { sayFieldRefusal } from "../../../contract/sentences/say-refusal.ts";
import { Fault } from "../../../kernel/faults.ts";
import { parseRoubles } from "../../../kernel/money.ts";
import { readMoment } from "../../read-moment.ts";

/** Throws Fault("invalid_request") naming the field. */
export function readKeyWishes({ limit, expiresAt, ...rest }: PanelKeyChange): Partial<KeySettings> {
  return {
    ...rest,
    ...(limit === undefined ? {} : { limit: limit === null ? null : readLimit(limit) }),
    ...(expiresAt === undefined
      ? {}
      : { expiresAt: expiresAt === null ? null : readMoment("expiresAt", expiresAt) }),
  };
}

function readLimit({ amount, period }: NonNullable<PanelKeyChange["limit"]>): KeySettings["limit"] {
  const amountNano = parseRoubles(amount);
  if (amountNano === null)
    throw new Fault("invalid_request", sayFieldRefusal("limit", "no_amount"));
  return { amountNano, period };
}
