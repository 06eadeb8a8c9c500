/** The requests of all accounts, and what only operators see of one. */
import Type from "typebox";
import { ENTRY_KINDS } from "../enums/entry-kind.ts";
import { moment, roubles } from "../money.ts";
import { nullableInteger, nullableNumber, nullableString } from "../nullable.ts";
import { Receipt } from "../receipt.ts";
import { PriceReason, TrailStep } from "./panel-request.ts";

/**
 * Why in a code of `operator/upstream-reason.ts` and what its sentence names; null where there are
 * only the words, as of rows from before there were codes.
 */
export const CodedWords = Type.Object({
  code: Type.String(),
  params: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()])),
});
export type CodedWords = Type.Static<typeof CodedWords>;

const NullableCode = Type.Union([CodedWords, Type.Null()]);

/** A row of `GET operator/requests`. */
export const OperatorRequest = Type.Object({
  id: Type.String(),
  accountId: Type.String(),
  accountName: nullableString({ description: "Null: there is no such account." }),
  keyMask: nullableString({ description: "Null: not known any more." }),
  endpoint: Type.String(),
  model: Type.String(),
  modelRequested: Type.String(),
  state: Type.String({
    description: "completed, interrupted, stopped_by_balance, client_gone or failed.",
  }),
  stream: Type.Boolean(),
  startedAt: moment("When it was admitted."),
  durationMs: nullableNumber({}, { description: "Until its end." }),
  /** The one that served it; null: none did. */
  upstream: nullableString({ description: "" }),
  /** Attempts that failed or were passed over. */
  failedAttempts: Type.Integer(),
  inputTokens: Type.Integer({ description: "All of them, cached ones too." }),
  outputTokens: Type.Integer(),
  charged: roubles("What was taken."),
  upstreamCost: nullableString({ description: "Roubles; null: the catalogue does not say." }),
});
export type OperatorRequest = Type.Static<typeof OperatorRequest>;

/** `GET operator/requests?account&key&model&state&upstream&from&to&cursor&limit`: newest first. */
export const OperatorRequestList = Type.Object({
  data: Type.Array(OperatorRequest),
  nextCursor: nullableString({
    description:
      "Null: that was all. A page may be short, even empty, and yet not the last: what is rare is looked for page by page.",
  }),
});
export type OperatorRequestList = Type.Static<typeof OperatorRequestList>;

/** `GET operator/requests/{id}`: the receipt with what its owner does not see. */
export const OperatorReceipt = Type.Object({
  ...Receipt.properties,
  accountId: Type.String(),
  accountName: nullableString({ description: "" }),
  keyId: nullableString({ description: "" }),
  loss: roubles("Delivered and not charged."),
  upstreamCost: nullableString({ description: "Roubles; null: the catalogue does not say." }),
  costLacks: nullableString({
    description: "The key of the route that would say it; null where more lacks, or nothing does.",
    examples: ["costSurcharges.serviceTier.batch"],
  }),
  suspicion: nullableString({ description: "Why the upstream's count was not believed." }),
  suspicionCoded: NullableCode,
  usageNote: nullableString({
    description: "What of the upstream's count was cut to fit; the rest of it was believed.",
  }),
  attempts: Type.Array(
    Type.Object({
      number: Type.Integer({ description: "From 1." }),
      upstream: Type.String(),
      upstreamModel: nullableString({ description: "" }),
      outcome: Type.String({ description: "delivered, failed or skipped." }),
      status: Type.Optional(nullableInteger({}, { description: "HTTP; null: it never answered." })),
      reason: nullableString({ description: "Why it failed." }),
      coded: NullableCode,
      durationMs: Type.Optional(Type.Number()),
    }),
  ),
  /** As the account sees it: held, held more, taken, given back. */
  trail: Type.Array(TrailStep),
  /** Why this price; null where nothing was charged, or the price list cannot be read any more. */
  price: Type.Union([PriceReason, Type.Null()]),
  /** The account's entries for it, in order: what the hold became, and what was lost. */
  entries: Type.Array(
    Type.Object({
      entryId: Type.String(),
      kind: Type.Enum([...ENTRY_KINDS]),
      at: moment("When it was booked."),
      amount: roubles("What moved."),
      held: nullableString({ description: "What had been held; roubles." }),
      released: nullableString({ description: "What of it went back; roubles." }),
    }),
  ),
});
export type OperatorReceipt = Type.Static<typeof OperatorReceipt>;
