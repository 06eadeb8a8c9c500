/** Says why money was not held, in words a caller can act on (contract §4 and §6). */
import { sayRefusal } from "../../contract/sentences/say-refusal.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Nano } from "../../kernel/money.ts";
import { formatRoubles } from "../../kernel/money.ts";
import type { RefusedHold } from "../../ledger/hold-verdicts.ts";
import { unreachable } from "../../kernel/assert.ts";

/** Seconds after which other requests' holds have probably shrunk to their charges. */
const RETRY_AFTER_SECONDS = 2;

const SHORT = {
  "insufficient-balance": { code: "insufficient_balance", of: "balance" },
  "limit-exceeded": { code: "key_limit_exceeded", of: "key" },
  "group-limit-exceeded": { code: "group_limit_exceeded", of: "group" },
} as const;

/**
 * Turns a refusal into the fault that the caller sees. When the money is there but held by other
 * requests, the message says so and a `retry-after` comes with it; the answer is still a 402, which
 * official clients do not repeat by themselves.
 */
export function refuseHold(refusal: RefusedHold, neededNano: Nano): Fault {
  switch (refusal.kind) {
    case "insufficient-balance":
    case "limit-exceeded":
    case "group-limit-exceeded": {
      const { code, of } = SHORT[refusal.kind];
      const temporary = refusal.availableNano + refusal.heldNano >= neededNano;
      return new Fault(code, {
        ...sayRefusal("funds_short", {
          of,
          needed: formatRoubles(neededNano),
          available: formatRoubles(refusal.availableNano),
          held: refusal.heldNano > 0n ? formatRoubles(refusal.heldNano) : "0",
          next: temporary ? "wait" : of === "balance" ? "top_up" : "raise_limit",
        }),
        ...(temporary ? { retryAfterSeconds: RETRY_AFTER_SECONDS, retryable: true } : {}),
      });
    }
    case "budget-closed":
      return new Fault("invalid_api_key", sayRefusal("api_key_stopped"));
    case "group-closed":
      return new Fault("permission_denied", sayRefusal("group_frozen"));
    case "account-blocked":
      return new Fault("permission_denied", sayRefusal("account_blocked"));
    case "unknown-account":
      return new Fault("internal_error", {
        cause: new Error("the ledger does not know the account of this key"),
      });
    default:
      return unreachable(refusal);
  }
}
