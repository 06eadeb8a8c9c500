/** How upstreams fare: `GET operator/upstreams?window=15m|24h`. */
import Type from "typebox";
import { BREAKER_STATES } from "../enums/breaker-state.ts";
import { REQUEST_KINDS } from "../enums/request-kind.ts";
import { moment } from "../money.ts";
import { nullableInteger, nullableNumber } from "../nullable.ts";
import { CodedWords } from "./operator-requests.ts";

const Latency = Type.Object({
  p50Ms: nullableNumber({}, { description: "Null: nothing to measure." }),
  p95Ms: nullableNumber({}, { description: "" }),
});

const Figures = Type.Object({
  /** Calls: tries that were passed over without one are not among them. */
  calls: Type.Integer(),
  served: Type.Integer(),
  failed: Type.Integer(),
  /** Passed over: the breaker was open, or there was no place. */
  skipped: Type.Integer(),
  /** Failed of calls, 0 to 1; null without calls. */
  errorRate: nullableNumber({}, { description: "" }),
  /** By what they failed with, most frequent first. */
  errors: Type.Array(
    Type.Object({
      status: nullableInteger({}, { description: "HTTP; null: no answer." }),
      reason: Type.String(),
      coded: Type.Union([CodedWords, Type.Null()]),
      count: Type.Integer(),
    }),
  ),
  /** Of whole calls that were served. */
  latency: Latency,
  /** From the request's beginning to its first content, of requests that it served. */
  firstContent: Latency,
});

export const UpstreamRoute = Type.Object({
  upstream: Type.String(),
  /** The upstream's own model. */
  upstreamModel: Type.String(),
  kind: Type.Enum([...REQUEST_KINDS]),
  /** Our models that use it now; empty: it is in force no more. */
  models: Type.Array(Type.String()),
  figures: Figures,
  /** By process; of those that call such routes: chats are called by the api, tasks by the worker. */
  breakers: Type.Array(
    Type.Object({ process: Type.String(), state: Type.Enum([...BREAKER_STATES]) }),
  ),
});
export type UpstreamRoute = Type.Static<typeof UpstreamRoute>;

export const UpstreamHealth = Type.Object({
  name: Type.String(),
  protocol: Type.String(),
  baseUrl: Type.String(),
  /** Names of environment variables; `set`: whether this process has a value. */
  credentials: Type.Array(Type.Object({ name: Type.String(), set: Type.Boolean() })),
  /** The worst of its routes in any process; null: no process told of any. */
  worst: Type.Union([Type.Enum([...BREAKER_STATES]), Type.Null()]),
  figures: Figures,
});
export type UpstreamHealth = Type.Static<typeof UpstreamHealth>;

export const UpstreamsReport = Type.Object({
  from: moment("Since when."),
  to: moment("Until when."),
  /** Only the newest so many requests of the window were read; false: all of them. */
  sampled: Type.Boolean(),
  processes: Type.Array(
    Type.Object({ process: Type.String(), seenAt: moment("When it was last heard of.") }),
  ),
  upstreams: Type.Array(UpstreamHealth),
  routes: Type.Array(UpstreamRoute),
});
export type UpstreamsReport = Type.Static<typeof UpstreamsReport>;
