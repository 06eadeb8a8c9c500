/**
 * Top-ups in the panel: what may be paid and how, payments that were begun, and what became of
 * them.
 */
import Type from "typebox";
import { TOP_UP_STATES } from "../enums/top-up-state.ts";
import { Currency, moment, roubles } from "../money.ts";
import { nullableString } from "../nullable.ts";

/** How one pays; the pages have a name for each. The provider's page may offer more. */
export const PAYMENT_METHODS = ["bank_card", "sbp"] as const;
export type PaymentMethod = (typeof PAYMENT_METHODS)[number];

const Method = Type.Enum([...PAYMENT_METHODS]);

/** `GET /panel/api/billing` */
export const Billing = Type.Object({
  /** Whether the account can be topped up here at all; where not, there is no method either. */
  available: Type.Boolean(),
  /** No real money is paid: the payment page is the sandbox's. */
  sandbox: Type.Boolean(),
  methods: Type.Array(Method),
  minAmount: roubles("The least of one top-up.", "10"),
  maxAmount: roubles("The most of one top-up.", "1000000"),
  suggestedAmounts: Type.Array(Type.String()),
  balance: roubles("What the account owns, held money included."),
  held: roubles("Of it, held for what has not ended."),
  currency: Currency,
});
export type Billing = Type.Static<typeof Billing>;

/** `POST /panel/api/top-ups` */
export const TopUpOrder = Type.Object(
  {
    /** Roubles, kopecks at most: `"500"`, `"500.50"`. */
    amount: Type.String({ pattern: "^\\d{1,7}(\\.\\d{1,2})?$" }),
    method: Method,
  },
  { additionalProperties: false },
);
export type TopUpOrder = Type.Static<typeof TopUpOrder>;

/**
 * Its answer, a 201: send the browser to `redirectUrl`. It comes back to `/panel/billing?topUp=ID`.
 */
export const TopUpBegun = Type.Object({ topUpId: Type.String(), redirectUrl: Type.String() });
export type TopUpBegun = Type.Static<typeof TopUpBegun>;

/**
 * `GET /panel/api/top-ups/{id}`; ask again every second or two while it is `created` or `pending`.
 */
export const TopUp = Type.Object({
  topUpId: Type.String(),
  state: Type.Enum([...TOP_UP_STATES]),
  amount: roubles("What is paid, and credited."),
  /** Paid back by the provider so far; "0" mostly. The balance does not follow by itself. */
  refunded: roubles("Given back by the provider.", "0"),
  currency: Currency,
  method: Method,
  sandbox: Type.Boolean(),
  /** Where to go on paying while it is pending; null otherwise. */
  redirectUrl: nullableString({ description: "The payment page." }),
  /**
   * Why it was canceled or failed: `expired`, `canceled_by_payer`, `declined`, `provider_refused`,
   * `mismatch`; null otherwise.
   */
  reason: nullableString({ description: "Why it did not succeed." }),
  /** E-mail of the member who began it; null when the member is gone. */
  createdBy: nullableString({ description: "Who began it." }),
  createdAt: moment("When it was begun."),
  endedAt: nullableString({ description: "When it came to its end." }),
});
export type TopUp = Type.Static<typeof TopUp>;

/** `GET /panel/api/top-ups?cursor&limit`, newest first */
export const TopUpList = Type.Object({
  data: Type.Array(TopUp),
  nextCursor: nullableString({ description: "Of the next page." }),
});
export type TopUpList = Type.Static<typeof TopUpList>;
