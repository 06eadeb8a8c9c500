/** The operator's first page: `GET operator/overview`. "Today" is the day of Moscow. */
import Type from "typebox";
import { moment, roubles } from "../money.ts";
import { nullableNumber, nullableString } from "../nullable.ts";

/** What one day brought, or its first hours. */
export const DayFigures = Type.Object({
  revenue: roubles("Charged, requests and tasks."),
  cost: nullableString({ description: "Roubles, of those whose cost is known; null: of none." }),
  /** Charged for what has an unknown cost: neither zero nor in `margin`. */
  unknownCostRevenue: roubles("Of it, what has no known cost."),
  margin: nullableString({
    description: "Roubles: revenue with a known cost, less that cost; null where none is known.",
  }),
  loss: roubles("Delivered and not charged."),
  requests: Type.Integer({ description: "Requests and tasks that ended." }),
  failed: Type.Integer({ description: "Of them, those that failed." }),
  errorRate: nullableNumber({}, { description: "0 to 1; null without requests." }),
  topUps: roubles(
    "Paid in, through the payment provider or credited by operators, less what was refunded of it.",
  ),
  refunded: roubles("Refunded since of what was paid in then."),
  topUpCount: Type.Integer(),
  given: roubles("Credited as a trial or a bonus."),
  newAccounts: Type.Integer({ description: "Accounts that were opened." }),
  meanMs: nullableNumber({}, { description: "Of chats that were served, on average." }),
  meanFirstMs: nullableNumber({}, { description: "Of chats, to their first token, on average." }),
});
export type DayFigures = Type.Static<typeof DayFigures>;

const Top = Type.Object({
  name: Type.String(),
  revenue: roubles("Today."),
  requests: Type.Integer(),
});

const Percentiles = Type.Object({
  p50Ms: nullableNumber({}, { description: "Null: nothing to measure." }),
  p95Ms: nullableNumber({}, { description: "" }),
});

export const OperatorOverview = Type.Object({
  at: moment("As of when."),
  day: Type.String({ description: "YYYY-MM-DD" }),
  today: Type.Object({
    ...DayFigures.properties,
    activeAccounts: Type.Integer({ description: "That were charged." }),
  }),
  /**
   * The hours of today that are over, beside the same hours of yesterday and of a week ago; null
   * until the first is over.
   */
  compared: Type.Union([
    Type.Object({
      hours: Type.Integer({ description: "From midnight: 14 stands for 00:00 to 14:00." }),
      today: DayFigures,
      yesterday: DayFigures,
      weekAgo: DayFigures,
    }),
    Type.Null(),
  ]),
  /** What was charged in each hour, from midnight on. */
  hours: Type.Array(
    Type.Object({
      hour: Type.Integer({ minimum: 0, maximum: 23 }),
      today: Type.Union([roubles("So far, where it is not over."), Type.Null()], {
        description: "Null: it is still to come.",
      }),
      yesterday: roubles("In the same hour."),
      weekAgo: roubles("In the same hour."),
    }),
  ),
  /** Of today's newest requests, at most a few thousand. */
  latency: Type.Object({
    requests: Type.Integer({ description: "By so many." }),
    whole: Percentiles,
    firstContent: Percentiles,
  }),
  /** What the customers own: it is owed to them. */
  liabilities: Type.Object({
    balance: roubles("Of all accounts, held money included."),
    held: roubles("Of it, held for what runs."),
  }),
  accounts: Type.Object({ total: Type.Integer(), blocked: Type.Integer() }),
  tasks: Type.Object({ living: Type.Integer(), doubtful: Type.Integer() }),
  upstreams: Type.Object({
    /** Routes that some process has given up, and that rest in some: `upstream/model`. */
    open: Type.Array(Type.String()),
    resting: Type.Array(Type.String()),
    /** Those with too many failures in the last quarter of an hour, the worst first. */
    failing: Type.Array(
      Type.Object({ upstream: Type.String(), calls: Type.Integer(), failed: Type.Integer() }),
    ),
    /** Routes that an operator took out: `upstream/model`, or the whole `upstream`. */
    out: Type.Array(Type.String()),
  }),
  payments: Type.Object({
    unmatched: Type.Integer({
      description:
        "Paid otherwise than they were begun, in the last two weeks: nothing was credited.",
    }),
    late: Type.Integer({
      description: "The provider should have been asked about them a minute ago, and was not.",
    }),
  }),
  /** Models that the catalogue in force sells for less than they cost. */
  belowCost: Type.Array(Type.String()),
  verifier: Type.Object({
    state: Type.Enum(["never", "ok", "mismatch"]),
    finishedAt: nullableString({ description: "" }),
  }),
  parkedReceipts: Type.Integer(),
  topAccounts: Type.Array(
    Type.Object({
      accountId: Type.String(),
      ...Top.properties,
      available: roubles("Of its balance, what is not held."),
      /** Of the hours that `compared` has. */
      sameHours: Type.Object({ today: roubles("Charged."), yesterday: roubles("Charged.") }),
    }),
  ),
  topModels: Type.Array(
    Type.Object({
      ...Top.properties,
      unknownCostRevenue: roubles("Of its revenue, what has no known cost."),
      margin: nullableString({ description: "Roubles; null where no cost is known." }),
    }),
  ),
});
export type OperatorOverview = Type.Static<typeof OperatorOverview>;
