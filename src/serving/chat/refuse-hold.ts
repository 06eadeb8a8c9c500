/** Says why money was not held, in words a caller can act on (contract §4 and §6). */
import { Fault } from "../../kernel/faults.ts";
import type { Nano } from "../../kernel/money.ts";
import { formatRoubles } from "../../kernel/money.ts";
import type { HoldVerdict } from "../../ledger/hold-verdicts.ts";
import { unreachable } from "../../kernel/assert.ts";

/** Seconds after which other requests' holds have probably shrunk to their charges. */
const RETRY_AFTER_SECONDS = 2;

type Refusal = Exclude<HoldVerdict, { kind: "held" }>;

/**
 * Turns a refusal into the fault that the caller sees. When the money is there but held by other
 * requests, the message says so and a `retry-after` comes with it; the answer is still a 402, which
 * official clients do not repeat by themselves.
 */
export function refuseHold(refusal: Refusal, neededNano: Nano): Fault {
  switch (refusal.kind) {
    case "insufficient-balance":
    case "limit-exceeded": {
      const ofKey = refusal.kind === "limit-exceeded";
      const temporary = refusal.availableNano + refusal.heldNano >= neededNano;
      const what = ofKey ? "The spend limit of this API key" : "The balance";
      const there = `${formatRoubles(refusal.availableNano)} RUB is available`;
      const held =
        refusal.heldNano > 0n
          ? ` and ${formatRoubles(refusal.heldNano)} RUB is held by requests that still run`
          : "";
      const next = temporary
        ? "Try again when they have ended."
        : ofKey
          ? "Raise the limit, or wait for its next period if it has one."
          : "Top the balance up.";
      const message = `${what} cannot cover this request: it needs ${formatRoubles(neededNano)} RUB, ${there}${held}. ${next}`;
      return new Fault(ofKey ? "key_limit_exceeded" : "insufficient_balance", {
        message,
        ...(temporary ? { retryAfterSeconds: RETRY_AFTER_SECONDS, retryable: true } : {}),
      });
    }
    case "budget-closed":
      return new Fault("invalid_api_key", {
        message: "This API key was deleted or frozen. Use another key, or see to it in the panel.",
      });
    case "account-blocked":
      return new Fault("permission_denied", {
        message: "This account is blocked. Contact the operator of the service.",
      });
    case "unknown-account":
      return new Fault("internal_error", {
        cause: new Error("the ledger does not know the account of this key"),
      });
    default:
      return unreachable(refusal);
  }
}
