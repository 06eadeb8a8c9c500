/**
 * What a decision of the database means for the caller: how much is left, when there is more, and
 * which limit was in the way.
 */
import { assert } from "../kernel/assert.ts";
import type { Allowance, RateStanding } from "../kernel/rate-limits.ts";
import type {
  LimitKind,
  LimitRequest,
  LimitSubject,
  LimitVerdict,
  Obstacle,
  SubjectUse,
} from "./limit-verdicts.ts";

/**
 * A request or a token as the database counts it: so many parts that a limit of N a minute gives
 * back N each microsecond.
 */
const ONE = 60_000_000n;
/** How long a full house is taken to stay full, where two limits are compared. */
const PLACE_WAIT_MS = 1_000;

/**
 * `used` is aligned with the request's subjects: after it, or as it found them when it was refused.
 */
export function explainDecision(
  request: LimitRequest,
  decision: { readonly at: Date; readonly admitted: boolean; readonly used: readonly SubjectUse[] },
): LimitVerdict {
  const { subjects } = request;
  const rows = subjects.map((subject, index) => {
    const used = decision.used[index];
    assert(used !== undefined, "every subject of a request is counted");
    return { subject, used };
  });
  const standing: RateStanding = {
    at: decision.at,
    requests: tightest(
      rows.map(({ subject, used }) => allowance(subject.limits.requestsPerMinute, used.requests)),
    ),
    tokens: tightest(
      rows.map(({ subject, used }) => allowance(subject.limits.tokensPerMinute, used.tokens)),
    ),
    concurrent: tightest(
      rows.map(({ subject, used }) => places(subject.limits.maxConcurrent, used.running)),
    ),
  };
  if (decision.admitted) return { kind: "admitted", standing };
  const obstacles = rows.flatMap(({ subject, used }) => obstaclesOf(subject, used, request.tokens));
  const [obstacle] = obstacles.toSorted(
    (a, b) => (b.waitMs ?? PLACE_WAIT_MS) - (a.waitMs ?? PLACE_WAIT_MS),
  );
  assert(obstacle !== undefined, "a refused request was in somebody's way");
  return { kind: "refused", standing, obstacle };
}

function allowance(limit: number | null, used: bigint): Allowance | null {
  if (limit === null) return null;
  const left = BigInt(limit) * ONE - used;
  return { limit, remaining: left <= 0n ? 0 : Number(left / ONE), resetMs: flowMs(used, limit) };
}

function places(
  limit: number | null,
  running: bigint,
): { readonly limit: number; readonly remaining: number } | null {
  return limit === null ? null : { limit, remaining: Math.max(0, limit - Number(running)) };
}

/** Of the limits of a kind, the one with the least left. */
function tightest<T extends { readonly limit: number; readonly remaining: number }>(
  standings: readonly (T | null)[],
): T | null {
  const set = standings.filter((standing) => standing !== null);
  return set.toSorted((a, b) => a.remaining - b.remaining || a.limit - b.limit)[0] ?? null;
}

function obstaclesOf(
  { subjectId, limits }: LimitSubject,
  used: SubjectUse,
  tokens: number,
): Obstacle[] {
  const found: Obstacle[] = [];
  const note = (kind: LimitKind, limit: number, waitMs: number | null): void =>
    void found.push({ subjectId, kind, limit, waitMs });
  const { requestsPerMinute, tokensPerMinute, maxConcurrent } = limits;
  if (requestsPerMinute !== null) {
    const lacking = used.requests + ONE - BigInt(requestsPerMinute) * ONE;
    if (lacking > 0n) note("requests", requestsPerMinute, flowMs(lacking, requestsPerMinute));
  }
  if (tokensPerMinute !== null) {
    const lacking =
      used.tokens + BigInt(Math.min(tokens, tokensPerMinute)) * ONE - BigInt(tokensPerMinute) * ONE;
    if (lacking > 0n) note("tokens", tokensPerMinute, flowMs(lacking, tokensPerMinute));
  }
  if (maxConcurrent !== null && used.running >= BigInt(maxConcurrent))
    note("concurrent", maxConcurrent, null);
  return found;
}

/** How long so many parts take to flow back, in milliseconds, rounded up. */
function flowMs(parts: bigint, limit: number): number {
  const perMs = BigInt(limit) * 1000n;
  return Number((parts + perMs - 1n) / perMs);
}
