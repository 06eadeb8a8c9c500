/**
 * Lets a request in within the rate limits of its key and its account, or says which of them it has
 * to wait for.
 */
import { sayRefusal } from "../../contract/sentences/say-refusal.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { isRateLimited, type RateStanding } from "../../kernel/rate-limits.ts";
import { promptTokensOf, type TokenUsage } from "../../kernel/token-usage.ts";
import type {
  LimitKind,
  LimitRequest,
  LimitSubject,
  Obstacle,
} from "../../limits/limit-verdicts.ts";
import type { RateLimiter } from "../../limits/rate-limiter.ts";
import type { Caller } from "./find-caller.ts";

/** What a request in progress owes to the limits. */
export interface RatePass {
  /** How its caller stands after it; null where nothing is limited. */
  readonly standing: RateStanding | null;
  /**
   * The request is over, having used this much. Resolves when the next one can have its place; null
   * where no request waits for one. Never throws; a second call does nothing.
   */
  end(usage: TokenUsage): Promise<void> | null;
}

export interface RateGate {
  /**
   * One request that is likely to use at least so many tokens. Throws Fault("rate_limit_exceeded")
   * when a limit is reached, and then nothing of any is taken; Fault("overloaded") when the
   * database is out of reach. A caller without limits costs nothing, not even a promise.
   */
  admit(caller: Caller, requestId: Uuid, tokens: number): RatePass | Promise<RatePass>;
}

export interface RateGateDeps {
  readonly limiter: Pick<RateLimiter, "ask" | "end">;
  onRefused(refusal: { readonly of: "key" | "account"; readonly kind: LimitKind }): void;
  /** Hears of ends that could not be told; the limiter clears up behind them. */
  onError(error: unknown): void;
}

const UNLIMITED: RatePass = { standing: null, end: () => null };
/** When running requests end is not known. */
const PLACE_RETRY_SECONDS = 1;

export function createRateGate(deps: RateGateDeps): RateGate {
  const { limiter } = deps;

  function passFor(request: LimitRequest, standing: RateStanding): RatePass {
    let ended: Promise<void> | null = null;
    return {
      standing,
      end(usage) {
        ended ??= limiter.end(request, tokensOf(usage)).catch(deps.onError);
        return ended;
      },
    };
  }

  async function ask(caller: Caller, request: LimitRequest): Promise<RatePass> {
    const verdict = await limiter.ask(request);
    if (verdict.kind === "admitted") return passFor(request, verdict.standing);
    const of = verdict.obstacle.subjectId === caller.keyId ? "key" : "account";
    deps.onRefused({ of, kind: verdict.obstacle.kind });
    throw refusal(of, verdict.obstacle, verdict.standing);
  }

  return {
    admit(caller, requestId, tokens) {
      if (!isRateLimited(caller) && !isRateLimited(caller.accountLimits)) return UNLIMITED;
      return ask(caller, { requestId, subjects: subjectsOf(caller), tokens });
    },
  };
}

/** Those that have a limit. */
function subjectsOf(caller: Caller): LimitRequest["subjects"] {
  const key: LimitSubject = { subjectId: caller.keyId, limits: caller };
  const account: LimitSubject = { subjectId: caller.accountId, limits: caller.accountLimits };
  if (!isRateLimited(key.limits)) return [account];
  return isRateLimited(account.limits) ? [key, account] : [key];
}

/** Every token counts once: plain, cached and output alike. */
function tokensOf(usage: TokenUsage): number {
  return promptTokensOf(usage) + usage.outputTokens;
}

function refusal(
  of: "key" | "account",
  { kind, limit, waitMs }: Obstacle,
  standing: RateStanding,
): Fault {
  const seconds = waitMs === null ? PLACE_RETRY_SECONDS : Math.max(1, Math.ceil(waitMs / 1000));
  return new Fault("rate_limit_exceeded", {
    ...sayRefusal("rate_limit_reached", { of, kind, limit, seconds }),
    retryAfterSeconds: seconds,
    standing,
  });
}
