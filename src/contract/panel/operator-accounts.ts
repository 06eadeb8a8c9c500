/** Accounts as operators see them, and what operators may do to one. */
import Type from "typebox";
import { BUDGET_PERIODS } from "../enums/budget-period.ts";
import { CREDIT_CLASSES } from "../enums/credit-class.ts";
import { MEMBER_ROLES } from "../enums/member-role.ts";
import { HIGHEST_RATE_LIMITS } from "../../kernel/rate-limits.ts";
import { moment, roubles } from "../money.ts";
import { nullableInteger, nullableString } from "../nullable.ts";
import { OperatorRequest } from "./operator-requests.ts";
import { Revision, REVISION } from "./revision.ts";

const reason = Type.String({
  minLength: 1,
  maxLength: 500,
  pattern: "\\S",
  description: "Kept in the audit log.",
});
const reference = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: "^\\S(.*\\S)?$",
  description: "The same one again changes nothing.",
});

const creditClass = Type.Enum([...CREDIT_CLASSES], {
  description:
    "Of the credit: what is given is used up before what was paid, a trial before a bonus, and is not paid back. Absent: paid.",
});

const limits = {
  requestsPerMinute: nullableInteger(
    { minimum: 1, maximum: HIGHEST_RATE_LIMITS.requestsPerMinute },
    { description: "Null: no limit." },
  ),
  tokensPerMinute: nullableInteger(
    { minimum: 1, maximum: HIGHEST_RATE_LIMITS.tokensPerMinute },
    { description: "Null: no limit." },
  ),
  maxConcurrent: nullableInteger(
    { minimum: 1, maximum: HIGHEST_RATE_LIMITS.maxConcurrent },
    { description: "Chat requests at once. Null: no limit." },
  ),
  maxTasks: nullableInteger(
    { minimum: 1, maximum: HIGHEST_RATE_LIMITS.maxTasks },
    { description: "Unfinished tasks. Null: no limit." },
  ),
};

const Block = Type.Object({
  at: moment("Since when."),
  reason: Type.String({ description: "Its members see it." }),
});

const Tag = Type.String({ minLength: 1, maxLength: 40, pattern: "^[^\\s,]([^,\\n]*[^\\s,])?$" });

/** A row of `GET operator/accounts`. */
export const OperatorAccount = Type.Object({
  accountId: Type.String(),
  name: Type.String(),
  createdAt: moment("When it was opened."),
  /** Of its owners, the first few. */
  emails: Type.Array(Type.String()),
  balance: roubles("What it owns, held money included."),
  held: roubles("Reserved for what runs."),
  available: roubles("The balance less what is held."),
  spent30Days: roubles("Charged in the last 30 days."),
  lastUsedAt: nullableString({
    description: "When one of its keys was used last, to the minute; null: never.",
  }),
  /** Of operators; its members do not see them. */
  tags: Type.Array(Type.String()),
  blocked: Type.Union([Block, Type.Null()]),
});
export type OperatorAccount = Type.Static<typeof OperatorAccount>;

/** `GET operator/accounts?search&state&tag&sort&cursor&limit`. */
export const OperatorAccountList = Type.Object({
  data: Type.Array(OperatorAccount),
  nextCursor: nullableString({ description: "" }),
});
export type OperatorAccountList = Type.Static<typeof OperatorAccountList>;

const Member = Type.Object({
  memberId: Type.String(),
  email: Type.String(),
  role: Type.Enum([...MEMBER_ROLES]),
  operator: Type.Boolean(),
  createdAt: moment("When it joined."),
});

const Key = Type.Object({
  hash: Type.String(),
  mask: Type.String(),
  name: Type.String(),
  createdAt: moment("When it was made."),
  expiresAt: nullableString({ description: "Null: never." }),
  frozenAt: nullableString({ description: "Null: it is not." }),
  lastUsedAt: nullableString({ description: "To the minute." }),
  spent: roubles("Ever."),
  limit: Type.Union([
    Type.Object({ amount: roubles("At most."), period: Type.Enum([...BUDGET_PERIODS]) }),
    Type.Null(),
  ]),
});

/** `GET operator/accounts/{id}`, and the answer of block, unblock and limits. */
export const OperatorAccountDetail = Type.Object({
  ...OperatorAccount.properties,
  credited: roubles("All top-ups and adjustments so far."),
  charged: roubles("All charges so far."),
  /** What the balance consists of. */
  left: Type.Object({
    paid: roubles("Of what was paid."),
    trial: roubles("Of a trial."),
    bonus: roubles("Of bonuses."),
  }),
  limits: Type.Object(limits),
  limitsRevision: Revision,
  note: Type.String({ description: "Of operators; its members do not see it." }),
  /** Of note and tags. */
  notesRevision: Revision,
  members: Type.Array(Member),
  /** Those that are not deleted. */
  keys: Type.Array(Key),
  /** The last ten. */
  requests: Type.Array(OperatorRequest),
});
export type OperatorAccountDetail = Type.Static<typeof OperatorAccountDetail>;

/** `POST operator/accounts/{id}/credit`: money that was paid in from outside, or is given. */
export const CreditBody = Type.Object({
  amount: roubles("Above zero."),
  class: Type.Optional(creditClass),
  reason,
  ref: reference,
});
export type CreditBody = Type.Static<typeof CreditBody>;

/**
 * `POST operator/accounts/{id}/adjust`: a correction; a negative one takes at most what is left of
 * its class and not held.
 */
export const AdjustBody = Type.Object({
  amount: roubles("Positive gives, negative takes.", "-12.5"),
  class: Type.Optional(creditClass),
  reason,
  /** Made up where it is not sent; send one so that a second click changes nothing. */
  ref: Type.Optional(reference),
});
export type AdjustBody = Type.Static<typeof AdjustBody>;

/** The answer of credit and adjust. */
export const MoneyMoved = Type.Object({
  /** `repeated`: the same was done before by this reference; nothing changed now. */
  outcome: Type.Enum(["booked", "repeated"]),
  entryId: Type.String(),
  ref: Type.String(),
  balance: roubles("After it."),
  available: roubles("After it."),
});
export type MoneyMoved = Type.Static<typeof MoneyMoved>;

export const BlockBody = Type.Object({
  reason: Type.String({
    minLength: 1,
    maxLength: 500,
    pattern: "\\S",
    description: "Its members see it.",
  }),
});
export type BlockBody = Type.Static<typeof BlockBody>;

export const UnblockBody = Type.Object({ reason: Type.Optional(reason) });
export type UnblockBody = Type.Static<typeof UnblockBody>;

/** `POST operator/accounts/{id}/limits`: what is left out stays as it is. */
export const AccountLimitsBody = Type.Object({
  ...Type.Partial(Type.Object(limits)).properties,
  reason: Type.Optional(reason),
  revision: REVISION,
});
export type AccountLimitsBody = Type.Static<typeof AccountLimitsBody>;

/** `POST operator/accounts/{id}/notes`: what operators know of it, instead of what was there. */
export const AccountNotesBody = Type.Object({
  note: Type.String({ maxLength: 2000, description: "Empty: none." }),
  tags: Type.Array(Tag, { maxItems: 10 }),
  revision: REVISION,
});
export type AccountNotesBody = Type.Static<typeof AccountNotesBody>;

/** `GET /panel/api/account/block`, for every member: whether its account is blocked. */
export const AccountBlock = Type.Object({ blocked: Type.Union([Block, Type.Null()]) });
export type AccountBlock = Type.Static<typeof AccountBlock>;

/** Of `POST operator/accounts/{id}/see-as`; the session's next answers are those of the account. */
export const SeeAsBegun = Type.Object({
  until: moment("Then it ends by itself; sooner with the operator's session."),
});
export type SeeAsBegun = Type.Static<typeof SeeAsBegun>;
