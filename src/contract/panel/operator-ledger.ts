/** Whether the books add up: `GET operator/ledger`, `POST operator/ledger/verify` {} -> 202. */
import Type from "typebox";
import { moment, roubles } from "../money.ts";
import { nullableInteger, nullableString } from "../nullable.ts";

export const Verification = Type.Object({
  verificationId: Type.String(),
  state: Type.Enum(["waiting", "running", "done", "broken_off"]),
  /** Null: it came by itself. */
  askedBy: nullableString({ description: "An operator's e-mail." }),
  askedAt: moment("When it was asked for."),
  startedAt: nullableString({ description: "" }),
  finishedAt: nullableString({ description: "" }),
  durationMs: nullableInteger({}, { description: "" }),
  checked: Type.Union([
    Type.Object({
      accounts: Type.Integer(),
      budgets: Type.Integer(),
      holds: Type.Integer(),
      entries: Type.Integer(),
    }),
    Type.Null(),
  ]),
  mismatchCount: nullableInteger({}, { description: "0: the books add up." }),
  /** The first hundred. */
  mismatches: Type.Array(
    Type.Object({
      where: Type.String(),
      id: Type.String(),
      expected: Type.String(),
      found: Type.String(),
      params: Type.Optional(
        Type.Record(Type.String(), Type.String(), {
          description: "What the two name; absent of verifications from before there were any.",
        }),
      ),
    }),
  ),
});
export type Verification = Type.Static<typeof Verification>;

export const LedgerStatus = Type.Object({
  /** The last one that was finished. */
  last: Type.Union([Verification, Type.Null()]),
  /** What waits or runs. */
  pending: Type.Union([Verification, Type.Null()]),
  everyMinutes: Type.Integer(),
  customers: Type.Object({
    balance: roubles("Of all accounts."),
    held: roubles("Of all accounts."),
  }),
  /** Receipts that could not be written as they came. */
  parkedReceipts: Type.Integer(),
});
export type LedgerStatus = Type.Static<typeof LedgerStatus>;
