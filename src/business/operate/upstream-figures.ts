/** The figures of calls as the panel shows them. */
import type { CodedWords } from "../../contract/panel/operator-requests.ts";
import type { UpstreamHealth } from "../../contract/panel/operator-upstreams.ts";
import { codedWords } from "../requests/coded-words.ts";
import { LONGEST_REASON, type CallError, type CallFigures } from "./upstreams.store.ts";

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
    errors: errors.slice(0, MOST_ERRORS).map(({ status, reason, coded, count }) => ({
      status,
      reason,
      coded: shortened(codedWords(coded)),
      count: Number(count),
    })),
    latency: latencyOf(calls?.latency ?? null),
    firstContent: latencyOf(calls?.firstContent ?? null),
  };
}

/** An upstream's own words are as short in it as in the reason. */
export function shortened(coded: CodedWords | null): CodedWords | null {
  const words = coded?.params["words"];
  if (coded === null || typeof words !== "string") return coded;
  return { ...coded, params: { ...coded.params, words: words.slice(0, LONGEST_REASON) } };
}

function latencyOf(percentiles: readonly number[] | null): Figures["latency"] {
  const [p50Ms = null, p95Ms = null] = percentiles ?? [];
  return { p50Ms, p95Ms };
}
