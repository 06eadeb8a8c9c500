/** The figures of calls as the panel shows them. */
import type { UpstreamHealth } from "../../contract/panel/operator-upstreams.ts";
import type { CallError, CallFigures } from "./upstreams.store.ts";

type Figures = UpstreamHealth["figures"];

const MOST_ERRORS = 10;

/** `calls` undefined: there were none. */
export function figuresOf(calls: CallFigures | undefined, errors: readonly CallError[]): Figures {
  const [served, failed] = [Number(calls?.served ?? 0n), Number(calls?.failed ?? 0n)];
  return {
    calls: served + failed,
    served,
    failed,
    skipped: Number(calls?.skipped ?? 0n),
    errorRate: served + failed === 0 ? null : failed / (served + failed),
    errors: errors
      .slice(0, MOST_ERRORS)
      .map(({ status, reason, count }) => ({ status, reason, count: Number(count) })),
    latency: latencyOf(calls?.latency ?? null),
    firstContent: latencyOf(calls?.firstContent ?? null),
  };
}

function latencyOf(percentiles: readonly number[] | null): Figures["latency"] {
  const [p50Ms = null, p95Ms = null] = percentiles ?? [];
  return { p50Ms, p95Ms };
}
