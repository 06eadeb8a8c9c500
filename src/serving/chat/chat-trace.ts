/**
 * What tracing hears of a chat request: moments and figures, never content; two that hear the same,
 * and the silent one for when tracing is off.
 */
import type { Route, UpstreamConfig } from "../../catalogue/catalogue.ts";
import type { ChatState } from "../../contract/enums/chat-state.ts";
import type { Uuid } from "../../kernel/ids.ts";
import type { Nano } from "../../kernel/money.ts";
import type { TokenUsage } from "../../kernel/token-usage.ts";
import type { KeyRecord } from "../../keys/key-record.ts";
import type { UpstreamFailure } from "../routing/upstream-failure.ts";

export interface ChatTracer {
  /**
   * `route` is the path that callers and readers know. `traceparent` is the caller's header
   * as it came, null where there was none. `startedMs` is the monotonic time of `startedAt`.
   */
  begin(
    requestId: Uuid,
    route: string,
    startedAt: Date,
    startedMs: number,
    traceparent: string | null,
  ): ChatTrace;
}

/**
 * One request. Its attempts follow one another; each ends by `attemptFailed`, or by `answered` and
 * then `settled`.
 */
export interface ChatTrace {
  /** An upstream is about to be called. Returns the `traceparent` header for it, null for none. */
  attempt(upstream: UpstreamConfig, route: Pick<Route, "model">): string | null;
  attemptFailed(failure: UpstreamFailure): void;
  /** The upstream has said its last word; what it amounted to comes with `settled`. */
  answered(): void;
  settled(chat: TracedChat): void;
  /** The exchange is over, refused or served. Called once, last. */
  end(ending: TracedEnding): void;
}

/** The figures of a served request; nothing else of it leaves the process. */
export interface TracedChat {
  readonly state: ChatState;
  readonly settled: { readonly chargedNano: Nano; readonly charge: { readonly usage: TokenUsage } };
  readonly fault: { readonly code: string } | null;
  readonly run: {
    readonly model: { readonly id: string };
    readonly request: { readonly model: string; readonly stream: boolean };
  };
  readonly answer: {
    readonly reported: { readonly finishReason: string | null; readonly model: string | null };
    readonly delivery: { readonly firstContentMs: number | null };
  } | null;
}

export interface TracedEnding {
  readonly status: number;
  /** Null where the request was refused before its key was known. */
  readonly key: Pick<KeyRecord, "accountId" | "mask"> | null;
  readonly fault: { readonly code: string } | null;
}

const SILENT_TRACE: ChatTrace = {
  attempt: () => null,
  attemptFailed: () => undefined,
  answered: () => undefined,
  settled: () => undefined,
  end: () => undefined,
};

/** Tracing that is off: every request shares one trace that hears nothing. */
export const SILENT_TRACER: ChatTracer = { begin: () => SILENT_TRACE };

/** Both hear everything; upstreams are told the span of the first. */
export function bothTracers(first: ChatTracer, second: ChatTracer): ChatTracer {
  return {
    begin(...request) {
      const traces = [first.begin(...request), second.begin(...request)] as const;
      const [one, other] = traces;
      return {
        attempt(upstream, route) {
          const header = one.attempt(upstream, route);
          const others = other.attempt(upstream, route);
          return header ?? others;
        },
        attemptFailed: (failure) => traces.forEach((trace) => trace.attemptFailed(failure)),
        answered: () => traces.forEach((trace) => trace.answered()),
        settled: (chat) => traces.forEach((trace) => trace.settled(chat)),
        end: (ending) => traces.forEach((trace) => trace.end(ending)),
      };
    },
  };
}
