/**
 * How upstreams fare: `GET operator/upstreams?window=15m|24h`; what they failed with, call by call;
 * and what operators take out of use.
 */
import Type from "typebox";
import { BALANCE_FAILURES, BALANCE_KINDS } from "../enums/balance-kind.ts";
import { BREAKER_STATES } from "../enums/breaker-state.ts";
import { REQUEST_KINDS } from "../enums/request-kind.ts";
import { moment } from "../money.ts";
import { nullableInteger, nullableNumber, nullableString } from "../nullable.ts";
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

/** What an operator took out of use; null: nothing is in its way. */
const Out = Type.Union([
  Type.Object({
    until: moment("When it comes back by itself."),
    reason: nullableString({ description: "Why it was taken out." }),
    takenBy: Type.String({ description: "The operator's e-mail." }),
    takenAt: moment("Since when."),
  }),
  Type.Null(),
]);

/** The window in equal parts, oldest first; parts without a call are missing. */
const Parts = Type.Array(
  Type.Object({ at: moment("Its beginning."), calls: Type.Integer(), failed: Type.Integer() }),
);

export const UpstreamRoute = Type.Object({
  upstream: Type.String(),
  /** The upstream's own model. */
  upstreamModel: Type.String(),
  kind: Type.Enum([...REQUEST_KINDS]),
  /** Our models that use it now; empty: it is in force no more. */
  models: Type.Array(Type.String()),
  /** Whether the catalogue in force has it by this name, so that it can be taken out. */
  inForce: Type.Boolean(),
  /** By itself; where its upstream is out as a whole, that says so. */
  out: Out,
  figures: Figures,
  /** By process; of those that call such routes: chats are called by the api, tasks by the worker. */
  breakers: Type.Array(
    Type.Object({ process: Type.String(), state: Type.Enum([...BREAKER_STATES]) }),
  ),
});
export type UpstreamRoute = Type.Static<typeof UpstreamRoute>;

/** Money that was paid to its provider and is left, as that tells it. */
export const UpstreamBalance = Type.Object({
  kind: Type.Enum([...BALANCE_KINDS]),
  amount: nullableString({
    description:
      "Decimal, in the provider's own currency, rounded down to hundredths; null: it never told.",
  }),
  currency: nullableString({ description: "Such as USD, or credits." }),
  reportedAt: nullableString({ description: "When it told the amount." }),
  below: nullableString({ description: "Operators are alerted below it." }),
  low: Type.Boolean({ description: "It is below that." }),
  lastsDays: nullableInteger(
    {},
    { description: "By how it went down within a week, 365 at most; null: that is not known." },
  ),
  failure: Type.Union([Type.Enum([...BALANCE_FAILURES]), Type.Null()], {
    description: "Why it could not be learned the last time.",
  }),
  failureStatus: nullableInteger({}, { description: "HTTP; null: no answer." }),
});
export type UpstreamBalance = Type.Static<typeof UpstreamBalance>;

export const UpstreamHealth = Type.Object({
  name: Type.String(),
  protocol: Type.String(),
  baseUrl: Type.String(),
  /** Names of environment variables; `set`: whether this process has a value. */
  credentials: Type.Array(Type.Object({ name: Type.String(), set: Type.Boolean() })),
  /** The worst of its routes in any process; null: no process told of any. */
  worst: Type.Union([Type.Enum([...BREAKER_STATES]), Type.Null()]),
  out: Out,
  balance: Type.Union([UpstreamBalance, Type.Null()], {
    description: "Null: its provider is not asked.",
  }),
  figures: Figures,
  parts: Parts,
});
export type UpstreamHealth = Type.Static<typeof UpstreamHealth>;

export const UpstreamsReport = Type.Object({
  from: moment("Since when."),
  to: moment("Until when."),
  /** Only the newest so many requests of the window were read; false: all of them. */
  sampled: Type.Boolean(),
  /** How long a part of the window is. */
  partMs: Type.Integer(),
  processes: Type.Array(
    Type.Object({ process: Type.String(), seenAt: moment("When it was last heard of.") }),
  ),
  upstreams: Type.Array(UpstreamHealth),
  routes: Type.Array(UpstreamRoute),
});
export type UpstreamsReport = Type.Static<typeof UpstreamsReport>;

/** `GET operator/upstreams/errors?upstream&model&window`: the last calls that failed. */
export const UpstreamErrors = Type.Object({
  data: Type.Array(
    Type.Object({
      at: moment("When its request was admitted."),
      requestId: Type.String(),
      accountId: Type.String(),
      accountName: nullableString({ description: "Null: there is no such account." }),
      upstreamModel: Type.String(),
      status: nullableInteger({}, { description: "HTTP; null: no answer." }),
      reason: Type.String(),
      coded: Type.Union([CodedWords, Type.Null()]),
      durationMs: nullableNumber({}, { description: "Of this call." }),
      /** Which upstream answered the customer instead; null: none did. */
      servedBy: nullableString({ description: "" }),
    }),
  ),
});
export type UpstreamErrors = Type.Static<typeof UpstreamErrors>;

const routeKey = {
  upstream: Type.String({ minLength: 1, maxLength: 200 }),
  /** As the catalogue has it. */
  upstreamModel: Type.Union([Type.String({ minLength: 1, maxLength: 500 }), Type.Null()], {
    description: "Null: every route to the upstream.",
  }),
};
const reason = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 500,
    pattern: "\\S",
    description: "Kept in the audit log.",
  }),
);

/** The longest that a route is out at once: a month. */
const LONGEST_OUT_MINUTES = 30 * 24 * 60;

/** `POST operator/upstreams/take-out`: no process calls it any more, within a second or two. */
export const TakeOutBody = Type.Object({
  ...routeKey,
  minutes: Type.Integer({
    minimum: 1,
    maximum: LONGEST_OUT_MINUTES,
    description: "For how long, from now on.",
  }),
  reason,
});
export type TakeOutBody = Type.Static<typeof TakeOutBody>;

/** `POST operator/upstreams/put-back`: what is not out stays so. */
export const PutBackBody = Type.Object({ ...routeKey, reason });
export type PutBackBody = Type.Static<typeof PutBackBody>;

/** The answer of both: all that is out. */
export const RoutesOut = Type.Object({
  data: Type.Array(
    Type.Object({
      upstream: Type.String(),
      upstreamModel: nullableString({ description: "Null: every route to the upstream." }),
      until: moment("When it comes back by itself."),
    }),
  ),
});
export type RoutesOut = Type.Static<typeof RoutesOut>;
