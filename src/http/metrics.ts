/**
 * Everything that `/metrics` shows: a registry of its own, and the few verbs by which the rest of
 * the program tells it what happened.
 */
import { Counter, Gauge, Registry, collectDefaultMetrics } from "prom-client";
import type { Nano } from "../kernel/money.ts";
import type { TokenUsage } from "../kernel/token-usage.ts";
import { countTaskEnds, type TaskEnded } from "./count-task-ends.ts";
import { createBound, createIndex, createOnce } from "./label-values.ts";
import { roublesForGraphs } from "./roubles-for-graphs.ts";
import { createCounts, createDurations } from "./series.ts";

export interface Metrics {
  /** One HTTP exchange, whatever became of it. */
  requestDone(done: {
    readonly method: string;
    readonly route: string;
    readonly status: number;
    readonly seconds: number;
  }): void;
  /** One admitted chat request that has ended. */
  chatDone(done: ChatDone): void;
  /** One task that has ended, with what became of its hold. */
  taskEnded(ended: TaskEnded): void;
  /** A request that was not admitted, or failed, by its fault code. */
  faulted(code: string): void;
  /** A request that a rate limit kept out. */
  rateLimited(refusal: { readonly of: string; readonly kind: string }): void;
  /** One try at one upstream; `seconds` is null where it was passed over without a call. */
  attemptDone(attempt: {
    readonly upstream: string;
    readonly outcome: string;
    readonly seconds: number | null;
  }): void;
  /**
   * Something that an operator has to look at: usage that is not to be believed, a parked receipt,
   * a ledger that does not add up.
   */
  suspicious(kind: string): void;
  /**
   * A number that is asked for whenever `/metrics` is read. `read` must not throw, wait or be slow.
   */
  watch(gauge: WatchedGauge): void;
  readonly contentType: string;
  render(): Promise<string>;
  /** The same figures as data, for adding up those of several processes. */
  figures(): Promise<object[]>;
  /** Stops the timers of the process metrics. */
  close(): void;
}

export interface ChatDone {
  readonly endpoint: string;
  readonly model: string;
  readonly state: string;
  readonly stream: boolean;
  readonly usage: TokenUsage;
  readonly chargedNano: Nano;
  /** Delivered and not charged: the operator's loss. */
  readonly lossNano: Nano;
  /** What the upstream charges us; null when the catalogue does not say. */
  readonly upstreamCostNano: Nano | null;
  readonly seconds: number;
  readonly firstContentSeconds: number | null;
}

export interface WatchedGauge {
  /** With the prefix `tollgate_`. */
  readonly name: string;
  readonly help: string;
  /** The name of the one label, where the gauge has several values. */
  readonly label?: string;
  /** What several processes say is added up, or the greatest of it counts. */
  readonly together?: "sum" | "max";
  read(): number | ReadonlyMap<string, number>;
}

const DURATION_BUCKETS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600,
];

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });

  const faults = new Counter({
    name: "tollgate_faults_total",
    help: "Requests that were refused or failed, by error code.",
    labelNames: ["code"],
    registers,
  });
  const rateLimited = new Counter({
    name: "tollgate_rate_limited_total",
    help: "Requests that a rate limit kept out, by whose it is (key, account) and what it counts (requests, tokens, concurrent, tasks).",
    labelNames: ["of", "kind"],
    registers,
  });
  const suspicions = new Counter({
    name: "tollgate_suspicions_total",
    help: "Things that an operator has to look at.",
    labelNames: ["kind"],
    registers,
  });
  const boundKind = createBound();

  return {
    requestDone: countRequests(registry),
    chatDone: countChats(registry),
    taskEnded: countTaskEnds(registry),
    attemptDone: countAttempts(registry),
    faulted(code) {
      faults.inc({ code });
    },
    rateLimited({ of, kind }) {
      rateLimited.inc({ of, kind });
    },
    suspicious(kind) {
      suspicions.inc({ kind: boundKind(kind) });
    },
    watch({ name, help, label, together = "sum", read }) {
      const bound = createBound();
      new Gauge({
        name: `tollgate_${name}`,
        help,
        labelNames: label === undefined ? [] : [label],
        aggregator: together,
        registers,
        collect() {
          const value = read();
          if (typeof value === "number") return this.set(value);
          this.reset();
          for (const [labelValue, number] of value)
            this.set(label === undefined ? {} : { [label]: bound(labelValue) }, number);
        },
      });
    },
    contentType: registry.contentType,
    render: () => registry.metrics(),
    figures: () => registry.getMetricsAsJSON(),
    close: () => registry.clear(),
  };
}

function countRequests(registry: Registry): Metrics["requestDone"] {
  const requests = createCounts(registry, {
    name: "tollgate_http_requests_total",
    help: "HTTP requests.",
  });
  const durations = createDurations(registry, {
    name: "tollgate_http_request_duration_seconds",
    help: "From the request's head to the end of the answer.",
    bounds: DURATION_BUCKETS,
  });
  // Node's parser takes no method that is not on its list, and routes are ours: both are bounded.
  const routeOf = createIndex((route) => ({
    seconds: durations({ route }),
    methodOf: createIndex((method) => ({
      statusOf: createIndex((status: number) =>
        requests({ method, route, status: String(status) }),
      ),
    })),
  }));

  return ({ method, route, status, seconds }) => {
    const series = routeOf(route);
    series.methodOf(method).statusOf(status).add(1);
    series.seconds.observe(seconds);
  };
}

function countAttempts(registry: Registry): Metrics["attemptDone"] {
  const attempts = createCounts(registry, {
    name: "tollgate_upstream_attempts_total",
    help: "Tries at upstreams, and (skipped) routes that were passed over.",
  });
  const durations = createDurations(registry, {
    name: "tollgate_upstream_attempt_duration_seconds",
    help: "How long a try at an upstream took.",
    bounds: DURATION_BUCKETS,
  });
  const bound = createBound();
  const upstreamOf = createIndex((upstream) => ({
    outcomeOf: createIndex((outcome) => attempts({ upstream, outcome })),
    seconds: createOnce(() => durations({ upstream })),
  }));

  return ({ upstream, outcome, seconds }) => {
    const series = upstreamOf(bound(upstream));
    series.outcomeOf(outcome).add(1);
    if (seconds !== null) series.seconds().observe(seconds);
  };
}

function countChats(registry: Registry): Metrics["chatDone"] {
  const chats = createCounts(registry, {
    name: "tollgate_chat_requests_total",
    help: "Chat requests that were admitted and have ended.",
  });
  const durations = createDurations(registry, {
    name: "tollgate_chat_duration_seconds",
    help: "From the start of a chat request to its end.",
    bounds: DURATION_BUCKETS,
  });
  const firstContents = createDurations(registry, {
    name: "tollgate_chat_first_content_seconds",
    help: "From the start of a chat request to its first content.",
    bounds: DURATION_BUCKETS,
  });
  const tokens = createCounts(registry, {
    name: "tollgate_tokens_total",
    help: "Tokens that were charged for, each counted once; reasoning is part of output.",
  });
  const charged = createCounts(registry, {
    name: "tollgate_charged_roubles_total",
    help: "Taken from accounts.",
  });
  const lost = createCounts(registry, {
    name: "tollgate_loss_roubles_total",
    help: "Delivered and not charged: the operator's loss.",
  });
  const cost = createCounts(registry, {
    name: "tollgate_upstream_cost_roubles_total",
    help: "What the upstreams charge, where the catalogue says it.",
  });
  const bound = createBound();
  const modelOf = createIndex((model) => ({
    input: tokens({ model, kind: "input" }),
    cachedInput: tokens({ model, kind: "cached_input" }),
    cacheWrite: tokens({ model, kind: "cache_write" }),
    output: tokens({ model, kind: "output" }),
    reasoning: tokens({ model, kind: "reasoning" }),
    charged: charged({ model }),
    lost: lost({ model }),
    cost: createOnce(() => cost({ model })),
    endpointOf: createIndex((endpoint) => ({
      seconds: durations({ endpoint, model }),
      firstContent: createOnce(() => firstContents({ endpoint, model })),
      stateOf: createIndex((state) => ({
        streamed: createOnce(() => chats({ endpoint, model, state, stream: "true" })),
        whole: createOnce(() => chats({ endpoint, model, state, stream: "false" })),
      })),
    })),
  }));

  return (done) => {
    const { usage } = done;
    const series = modelOf(bound(done.model));
    const atEndpoint = series.endpointOf(done.endpoint);
    const inState = atEndpoint.stateOf(done.state);
    (done.stream ? inState.streamed() : inState.whole()).add(1);
    atEndpoint.seconds.observe(done.seconds);
    if (done.firstContentSeconds !== null)
      atEndpoint.firstContent().observe(done.firstContentSeconds);
    series.input.add(usage.inputTokens);
    series.cachedInput.add(usage.cachedInputTokens);
    series.cacheWrite.add(usage.cacheWrite5mTokens + usage.cacheWrite1hTokens);
    series.output.add(usage.outputTokens);
    series.reasoning.add(usage.reasoningTokens);
    series.charged.add(roublesForGraphs(done.chargedNano));
    series.lost.add(roublesForGraphs(done.lossNano));
    if (done.upstreamCostNano !== null) series.cost().add(roublesForGraphs(done.upstreamCostNano));
  };
}
