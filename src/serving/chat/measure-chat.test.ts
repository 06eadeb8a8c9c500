/**
 * Protects: what a request took, spent and failed by is measured once and where it belongs, by
 * OpenTelemetry's names, whatever way it ended.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { UpstreamConfig } from "../../catalogue/catalogue.ts";
import { newUuid } from "../../kernel/ids.ts";
import { ZERO_NANO } from "../../kernel/money.ts";
import { NO_USAGE } from "../../kernel/token-usage.ts";
import type { UpstreamFailure } from "../routing/upstream-failure.ts";
import { bothTracers, SILENT_TRACER, type ChatTrace, type TracedChat } from "./chat-trace.ts";
import { createChatMeter } from "./measure-chat.ts";

const UPSTREAM = {
  name: "first",
  protocol: "responses",
  baseUrl: "https://api.example.com/v1",
} as UpstreamConfig;
const OF_UPSTREAM = {
  "gen_ai.operation.name": "chat",
  "gen_ai.provider.name": "openai",
  "gen_ai.request.model": "theirs",
  "tollgate.upstream": "first",
  "server.address": "api.example.com",
  "server.port": 443,
};
const OF_US = {
  "gen_ai.operation.name": "chat",
  "gen_ai.provider.name": "tollgate",
  "gen_ai.request.model": "ours",
};
const OVERLOADED = { kind: "busy", status: 503 } as UpstreamFailure;
const SILENT = { kind: "broken", status: null } as UpstreamFailure;

function chat(edit: Partial<TracedChat> & { readonly stream?: boolean } = {}): TracedChat {
  const { stream = true, ...more } = edit;
  const usage = { ...NO_USAGE, inputTokens: 60, cachedInputTokens: 40, outputTokens: 21 };
  return {
    state: "completed",
    settled: { chargedNano: ZERO_NANO, charge: { usage } },
    fault: null,
    run: { model: { id: "ours" }, request: { model: "ours", stream } },
    answer: {
      reported: { finishReason: "stop", model: "theirs-2026" },
      delivery: { firstContentMs: 3_000 },
    },
    ...more,
  };
}

/** A request that begins at 1000 ms; `to` sets the clock. */
function meter(route = "/v1/chat/completions"): {
  readonly trace: ChatTrace;
  to(ms: number): void;
  /** Every series with something in it: how often, and what it came to. */
  measured(): Record<
    string,
    readonly (readonly [attributes: unknown, count: number, sum: number])[]
  >;
} {
  let nowMs = 1_000;
  const { tracer, read } = createChatMeter({ clock: { monotonicMs: () => nowMs } });
  return {
    trace: tracer.begin(newUuid(), route, new Date(), nowMs, null),
    to(ms) {
      nowMs = ms;
    },
    measured: () =>
      Object.fromEntries(
        read().flatMap((metric) => {
          assert.ok(metric.kind === "histogram");
          if (metric.points.length === 0) return [];
          const series = metric.points.map(
            ({ attributes, counts, sum }) =>
              [attributes, counts.reduce((all, count) => all + count, 0), sum] as const,
          );
          return [[metric.name, series] as const];
        }),
      ),
  };
}

test("a stream over two upstreams: each call by itself, tokens of the one that answered, our own times for the caller", () => {
  const { trace, to, measured } = meter();
  assert.equal(trace.attempt(UPSTREAM, { model: "theirs" }), null);
  to(1_500);
  trace.attemptFailed(OVERLOADED);
  trace.attempt(UPSTREAM, { model: "theirs" });
  to(7_000);
  trace.answered();
  to(8_000);
  trace.settled(chat());
  to(9_000);
  trace.end({ status: 200, key: null, fault: null });
  const answered = { ...OF_UPSTREAM, "gen_ai.response.model": "theirs-2026" };
  assert.deepEqual(measured(), {
    "gen_ai.client.operation.duration": [
      [{ ...OF_UPSTREAM, "error.type": "503" }, 1, 0.5],
      [answered, 1, 5.5],
    ],
    "gen_ai.client.token.usage": [
      [{ ...answered, "gen_ai.token.type": "input" }, 1, 100],
      [{ ...answered, "gen_ai.token.type": "output" }, 1, 21],
    ],
    "gen_ai.client.operation.time_to_first_chunk": [[answered, 1, 1.5]],
    "gen_ai.server.request.duration": [[OF_US, 1, 8]],
    "gen_ai.server.time_to_first_token": [[OF_US, 1, 2]],
    // From the first content to the last word, over 20 tokens.
    "gen_ai.server.time_per_output_token": [[OF_US, 1, 0.2]],
  });
});

test("of a whole answer there is no first token, and no tokens where none were counted", () => {
  const { trace, to, measured } = meter("/v1/embeddings");
  trace.attempt(UPSTREAM, { model: "theirs" });
  to(2_000);
  trace.answered();
  trace.settled(
    chat({
      stream: false,
      settled: { chargedNano: ZERO_NANO, charge: { usage: NO_USAGE } },
      answer: null,
    }),
  );
  trace.end({ status: 200, key: null, fault: null });
  const operation = { "gen_ai.operation.name": "embeddings" };
  assert.deepEqual(measured(), {
    "gen_ai.client.operation.duration": [[{ ...OF_UPSTREAM, ...operation }, 1, 1]],
    "gen_ai.server.request.duration": [[{ ...OF_US, ...operation }, 1, 1]],
  });
});

test("a stream that breaks off and a request that no upstream answers have failed, with their kind of error", () => {
  const broken = meter();
  broken.trace.attempt(UPSTREAM, { model: "theirs" });
  broken.to(4_000);
  broken.trace.answered();
  broken.trace.settled(chat({ state: "interrupted" }));
  broken.trace.end({ status: 200, key: null, fault: null });
  const error = { "error.type": "interrupted" };
  const figures = broken.measured();
  assert.deepEqual(figures["gen_ai.server.request.duration"], [[{ ...OF_US, ...error }, 1, 3]]);
  assert.deepEqual(
    figures["gen_ai.client.operation.duration"]?.map(([attributes]) => attributes),
    [{ ...OF_UPSTREAM, "gen_ai.response.model": "theirs-2026", ...error }],
  );
  assert.equal(figures["gen_ai.server.time_to_first_token"], undefined);

  const { trace, measured } = meter();
  trace.attempt(UPSTREAM, { model: "theirs" });
  trace.attemptFailed(SILENT);
  const fault = { code: "upstream_error" };
  trace.settled(chat({ state: "failed", fault, answer: null }));
  trace.end({ status: 502, key: null, fault });
  assert.deepEqual(measured(), {
    "gen_ai.client.operation.duration": [[{ ...OF_UPSTREAM, "error.type": "broken" }, 1, 0]],
    "gen_ai.server.request.duration": [[{ ...OF_US, "error.type": "upstream_error" }, 1, 0]],
  });
});

test("a refusal is no operation of a model, and a call that something threw out of has ended", () => {
  const refused = meter();
  refused.trace.end({ status: 401, key: null, fault: { code: "invalid_api_key" } });
  assert.deepEqual(refused.measured(), {});
  const { trace, measured } = meter();
  trace.attempt(UPSTREAM, { model: "theirs" });
  trace.end({ status: 500, key: null, fault: { code: "internal_error" } });
  assert.deepEqual(measured(), {
    "gen_ai.client.operation.duration": [[{ ...OF_UPSTREAM, "error.type": "unfinished" }, 1, 0]],
  });
});

test("traces and figures hear the same, and upstreams are told the span", () => {
  const heard: string[] = [];
  const spans = {
    begin: (): ChatTrace => ({
      attempt: () => "the-span",
      attemptFailed: () => void heard.push("failed"),
      answered: () => void heard.push("answered"),
      settled: () => void heard.push("settled"),
      end: () => void heard.push("end"),
    }),
  };
  for (const tracer of [bothTracers(spans, SILENT_TRACER), bothTracers(SILENT_TRACER, spans)]) {
    const trace = tracer.begin(newUuid(), "/v1/chat/completions", new Date(), 0, null);
    assert.equal(trace.attempt(UPSTREAM, { model: "theirs" }), "the-span");
    trace.attemptFailed(SILENT);
    trace.answered();
    trace.settled(chat());
    trace.end({ status: 200, key: null, fault: null });
    assert.deepEqual(heard.splice(0), ["failed", "answered", "settled", "end"]);
  }
});
