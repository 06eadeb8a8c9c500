/** Spend alerts in the panel: rules, where they are sent, what was sent, and a member's chat. */
import Type from "typebox";
import { ALERT_CHANNELS, ALERT_KINDS, MAIL_TO } from "../enums/alert-terms.ts";
import { DELIVERY_STATES } from "../enums/delivery-state.ts";
import { moment, roubles } from "../money.ts";
import { nullableInteger, nullableString } from "../nullable.ts";
import { Revision, REVISION } from "./revision.ts";

const Kind = Type.Enum([...ALERT_KINDS]);
const MailTo = Type.Enum([...MAIL_TO]);
const Percent = Type.Unsafe<number | null>({ type: ["integer", "null"], minimum: 1, maximum: 100 });
const GroupId = Type.Unsafe<string | null>({ type: ["string", "null"], format: "uuid" });
const OptionalThreshold = Type.Unsafe<string | null>({
  type: ["string", "null"],
  pattern: "^\\d{1,9}(\\.\\d{1,2})?$",
});
const Factor = Type.Unsafe<number | null>({ type: ["integer", "null"], minimum: 2, maximum: 100 });
const KeyHash = Type.Unsafe<string | null>({ type: ["string", "null"], pattern: "^[0-9a-f]{64}$" });
const MemberIds = Type.Array(Type.String({ format: "uuid" }), { maxItems: 50 });
const WebhookUrl = Type.Unsafe<string | null>({ type: ["string", "null"], maxLength: 2_000 });

/** `POST /panel/api/alerts` → 201 with the Alert. */
export const NewAlert = Type.Object(
  {
    kind: Kind,
    /** Roubles, kopecks at most, above zero. Null or absent with `limit_used`, needed elsewhere. */
    threshold: Type.Optional(OptionalThreshold),
    /** Of `limit_used` only: needed there, null or absent elsewhere. */
    percent: Type.Optional(Percent),
    /** Of a spike only: needed there, null elsewhere. */
    factor: Type.Optional(Factor),
    /** One key's spend; null or absent: the whole account's. Never with `balance_below`. */
    keyHash: Type.Optional(KeyHash),
    /** One group's limit: with `limit_used` alone, which needs either a group or a key. */
    groupId: Type.Optional(GroupId),
    enabled: Type.Optional(Type.Boolean()),
    /** `members`: those of `memberIds`. Absent: owners. */
    mailTo: Type.Optional(MailTo),
    /** As `mailTo`, of those who linked a chat. Absent: the same people as by mail. */
    telegramTo: Type.Optional(MailTo),
    memberIds: Type.Optional(MemberIds),
    /** A public http(s) address; null or absent: none. */
    webhookUrl: Type.Optional(WebhookUrl),
  },
  { additionalProperties: false },
);
export type NewAlert = Type.Static<typeof NewAlert>;

/**
 * `POST /panel/api/alerts/{id}` → the Alert. What is absent stays as it is. Another threshold,
 * factor or key arms the alert anew.
 */
export const AlertChange = Type.Object(
  {
    threshold: Type.Optional(OptionalThreshold),
    percent: Type.Optional(Percent),
    factor: Type.Optional(Factor),
    keyHash: Type.Optional(KeyHash),
    groupId: Type.Optional(GroupId),
    enabled: Type.Optional(Type.Boolean()),
    mailTo: Type.Optional(MailTo),
    telegramTo: Type.Optional(MailTo),
    memberIds: Type.Optional(MemberIds),
    webhookUrl: Type.Optional(WebhookUrl),
    revision: REVISION,
  },
  { additionalProperties: false },
);
export type AlertChange = Type.Static<typeof AlertChange>;

export const Alert = Type.Object({
  alertId: Type.String(),
  kind: Kind,
  threshold: nullableString({ description: "Where it fires, in roubles; null: by `percent`." }),
  percent: nullableInteger({}, { description: "Of a limit, where it fires." }),
  factor: nullableInteger({}, { description: "Of a spike." }),
  keyHash: nullableString({ description: "One key's; null: the account's, or a group's." }),
  groupId: nullableString({ description: "One group's." }),
  enabled: Type.Boolean(),
  mailTo: MailTo,
  telegramTo: MailTo,
  memberIds: Type.Array(Type.String()),
  webhookUrl: nullableString({ description: "Where it is posted to." }),
  /** What it watches is past its threshold: it is quiet until that is on the good side again. */
  past: Type.Boolean(),
  /** It has fired for that; one that was made past its threshold has not. */
  fired: Type.Boolean(),
  lastFiredAt: nullableString({ description: "When it fired last." }),
  revision: Revision,
  createdAt: moment("When it was made."),
});
export type Alert = Type.Static<typeof Alert>;

/** `GET /panel/api/alerts`: all of them; an account has at most `limit`. */
export const AlertList = Type.Object({
  data: Type.Array(Alert),
  nextCursor: Type.Null(),
  limit: Type.Integer(),
});
export type AlertList = Type.Static<typeof AlertList>;

/**
 * `POST /panel/api/alerts/{id}/test` → 202: how many deliveries were written; look at the log for
 * what becomes of them.
 */
export const AlertTested = Type.Object({ deliveries: Type.Integer() });
export type AlertTested = Type.Static<typeof AlertTested>;

export const AlertDelivery = Type.Object({
  deliveryId: Type.String(),
  /** Null when the rule was deleted since. */
  alertId: nullableString({ description: "The rule." }),
  kind: Kind,
  channel: Type.Enum([...ALERT_CHANNELS]),
  /** An e-mail address, or the webhook's address; by Telegram the member's e-mail address. */
  to: Type.String(),
  test: Type.Boolean(),
  /**
   * `pending`: not yet, or to be tried again. `delivered`: a mail was taken by its server, a
   * webhook was answered with a 2xx, a message was taken by Telegram.
   */
  state: Type.Enum([...DELIVERY_STATES]),
  firedAt: moment("When the alert fired."),
  /**
   * What was measured then: the balance, or the spend; of a test, an example at which the rule
   * fires.
   */
  value: roubles("What was measured."),
  threshold: roubles("What it was measured against."),
  attempts: Type.Integer(),
  lastAttemptAt: nullableString({ description: "The last try." }),
  /** Status of the last answer to a webhook; null where there was none. */
  lastStatus: nullableInteger({}, { description: "HTTP." }),
  lastError: nullableString({ description: "Why the last try did not succeed." }),
  nextAttemptAt: nullableString({ description: "When it is tried again." }),
});
export type AlertDelivery = Type.Static<typeof AlertDelivery>;

/** `GET /panel/api/alerts/deliveries?cursor&limit&alertId`, newest first */
export const AlertDeliveryList = Type.Object({
  data: Type.Array(AlertDelivery),
  nextCursor: nullableString({ description: "Of the next page." }),
});
export type AlertDeliveryList = Type.Static<typeof AlertDeliveryList>;

/**
 * `GET /panel/api/alerts/webhook-secret`: whether there is one. `POST`, for owners, makes another
 * and shows it once, as AlertSecret; the old one signs too for a day.
 */
export const AlertSecretStatus = Type.Object({
  exists: Type.Boolean(),
  createdAt: nullableString({ description: "When it was made." }),
});
export type AlertSecretStatus = Type.Static<typeof AlertSecretStatus>;

export const AlertSecret = Type.Object({ secret: Type.String({ description: "`whsec_…`" }) });
export type AlertSecret = Type.Static<typeof AlertSecret>;

/**
 * `GET /panel/api/alerts/telegram`: the chat in which alerts reach the member who asks. `DELETE` takes
 * it away.
 */
export const TelegramChat = Type.Object({
  /** Whether this installation has a bot. */
  available: Type.Boolean(),
  bot: nullableString({ description: "The bot's name, without an @; null: not known yet." }),
  chat: Type.Unsafe<{ title: string; linkedAt: string } | null>({
    description: "Null: none is linked.",
    type: ["object", "null"],
    properties: { title: { type: "string" }, linkedAt: { type: "string", format: "date-time" } },
    required: ["title", "linkedAt"],
  }),
});
export type TelegramChat = Type.Static<typeof TelegramChat>;

/** `POST /panel/api/alerts/telegram/code`: to be sent to the bot once; an older one ends. */
export const TelegramCode = Type.Object({
  command: Type.String({ description: "`/start` with the code." }),
  url: nullableString({
    description: "Opens the bot with the code; null: its name is not known yet.",
  }),
  expiresAt: moment("Until when it can be used."),
});
export type TelegramCode = Type.Static<typeof TelegramCode>;
