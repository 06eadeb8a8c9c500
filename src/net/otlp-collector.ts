/**
 * What all exports to an OpenTelemetry collector have in common: where they go, how long one may
 * take, and how what was lost is counted and told.
 */

export interface OtlpOptions {
  /** The collector's base address; each signal goes to `/v1/SIGNAL` below it. */
  readonly endpoint: string;
  /** Sent with every export: what the collector asks for, such as a token. */
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  readonly serviceVersion: string;
  /** Tells the processes of one service apart. */
  readonly instanceId: string;
  /**
   * How many (spans, points, lines) could not be delivered since the last call, and why the last
   * ones; once a minute at most.
   */
  onLost(items: number, error: unknown): void;
}

export type OtlpSignal = "traces" | "metrics" | "logs";

/** Everything about one export, and so also the longest that it can hold up a stop. */
export const EXPORT_TIMEOUT_MS = 2_000;
/** No attribute needs more; an upstream's words are cut here. */
export const VALUE_LIMIT_CHARACTERS = 256;
/** Why what is beyond a queue's bound is lost. */
export const QUEUE_FULL = new Error("too many wait for the collector");
/** Why what still waits after the last export is lost. */
export const STOPPED = new Error("the process stopped");
const REPORT_EVERY_MS = 60_000;

export function signalUrl(endpoint: string, signal: OtlpSignal): string {
  const url = new URL(endpoint);
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/v1/${signal}`;
  return url.href;
}

export interface LossCount {
  /** Since the process began. */
  readonly total: number;
  add(items: number, error: unknown): void;
}

export function createLossCount(onLost: OtlpOptions["onLost"]): LossCount {
  let total = 0;
  let untold = 0;
  let tellAgainMs = 0;
  return {
    get total() {
      return total;
    },
    add(items, error) {
      total += items;
      untold += items;
      const nowMs = performance.now();
      if (nowMs < tellAgainMs) return;
      tellAgainMs = nowMs + REPORT_EVERY_MS;
      onLost(untold, error);
      untold = 0;
    },
  };
}
