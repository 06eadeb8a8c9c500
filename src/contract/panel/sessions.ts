/** Logging in and out of the panel: what its pages send, and what a session is. */
import Type from "typebox";
import { SESSION_STAGES } from "../enums/session-stage.ts";
import { moment } from "../money.ts";
import { nullableString } from "../nullable.ts";
import { EMAIL, LANGUAGE, ROLE, TIMEZONE } from "./member-fields.ts";

/**
 * What is still asked before the session may do anything else: a code of the second factor, a
 * password of the member's own, or to set up the second factor that the account wants of all.
 */
const STAGE = Type.Enum([...SESSION_STAGES]);

/**
 * Of `GET session`, and of every request that begins or changes one: log-in, log-in/totp, password.
 */
export const Session = Type.Object({
  member: Type.Object({
    memberId: Type.String(),
    email: Type.String(),
    name: nullableString({ description: "What the member calls itself; null: nothing yet." }),
    role: ROLE,
    operator: Type.Boolean(),
    language: LANGUAGE,
    timezone: Type.String({ description: "IANA name, `Europe/Moscow`." }),
    totp: Type.Boolean({ description: "A code of an app is asked where a password logs in." }),
    passkeys: Type.Integer({ description: "How many it has." }),
    stage: STAGE,
  }),
  account: Type.Object({
    accountId: Type.String(),
    name: Type.String(),
    blocked: Type.Boolean({
      description: "By an operator: its members may look, and nothing else.",
    }),
    totpRequired: Type.Boolean({
      description: "Members without a second factor may do nothing but set one up.",
    }),
  }),
  seeing: Type.Union(
    [Type.Object({ until: moment("It is over then, if it was not left before.") }), Type.Null()],
    {
      description:
        "An operator sees the account as its members do and changes nothing; null: it is the member's own.",
    },
  ),
});
export type Session = Type.Static<typeof Session>;

/**
 * Of `GET visitor`: a visitor who opens a page is told who they are; not being logged in is no
 * refusal.
 */
export const Visit = Type.Object({ session: Type.Union([Session, Type.Null()]) });
export type Visit = Type.Static<typeof Visit>;

/** New ones only: what a log-in sends is compared, not judged. */
const NEW_PASSWORD = Type.String({ minLength: 10, maxLength: 200 });
const SENT_PASSWORD = Type.String({ minLength: 1, maxLength: 200 });
/** Of a link in a mail. One that is unknown, used, too old or another purpose's is `gone` (410). */
const TOKEN = Type.String({ minLength: 1, maxLength: 200 });

export const LogInBody = Type.Object({ email: EMAIL, password: SENT_PASSWORD });
export type LogInBody = Type.Static<typeof LogInBody>;

/** Six digits, or a recovery code. */
export const CodeBody = Type.Object({ code: Type.String({ minLength: 1, maxLength: 40 }) });
export type CodeBody = Type.Static<typeof CodeBody>;

/** What was agreed to, of `installation`. */
const CONSENTS = Type.Array(
  Type.Object({ consentId: Type.String({ maxLength: 36 }), version: Type.Integer() }),
  { maxItems: 10 },
);

/** `sign-up/captcha`: a task for the browser, which is sent back with what it came to. */
export const CaptchaChallenge = Type.Object({
  parameters: Type.Record(Type.String(), Type.Unknown()),
  signature: Type.String({ maxLength: 200 }),
});
export type CaptchaChallenge = Type.Static<typeof CaptchaChallenge>;

export const CaptchaAnswer = Type.Object({
  challenge: CaptchaChallenge,
  solution: Type.Object({
    counter: Type.Integer({ minimum: 0 }),
    derivedKey: Type.String({ pattern: "^[0-9a-f]{1,128}$" }),
  }),
});
export type CaptchaAnswer = Type.Static<typeof CaptchaAnswer>;

export const SignUpBody = Type.Object({
  email: EMAIL,
  password: NEW_PASSWORD,
  accountName: Type.String({ minLength: 1, maxLength: 200 }),
  language: LANGUAGE,
  code: Type.Optional(Type.String({ maxLength: 60, description: "Where one is asked for." })),
  consents: Type.Optional(CONSENTS),
  captcha: Type.Optional(CaptchaAnswer),
});
export type SignUpBody = Type.Static<typeof SignUpBody>;

export const TokenBody = Type.Object({ token: TOKEN });
export type TokenBody = Type.Static<typeof TokenBody>;

export const EmailBody = Type.Object({ email: EMAIL });
export type EmailBody = Type.Static<typeof EmailBody>;

/**
 * The answer of `verify-email`: the browser that signed up is logged in by it, any other one asks for
 * the password.
 */
export const ConfirmedEmail = Type.Object({
  email: Type.String(),
  trial: nullableString({ description: "Credit to try with that came with it, roubles." }),
  session: Type.Union([Session, Type.Null()]),
});
export type ConfirmedEmail = Type.Static<typeof ConfirmedEmail>;

/** The answer of `members/accept`: whose link it was, for the log-in that comes next. */
export const LinkOwner = Type.Object({ email: Type.String() });
export type LinkOwner = Type.Static<typeof LinkOwner>;

/** Of `password/reset`. */
export const TokenPasswordBody = Type.Object({ token: TOKEN, password: NEW_PASSWORD });
export type TokenPasswordBody = Type.Static<typeof TokenPasswordBody>;

export const AcceptBody = Type.Object({
  token: TOKEN,
  password: NEW_PASSWORD,
  consents: Type.Optional(CONSENTS),
});
export type AcceptBody = Type.Static<typeof AcceptBody>;

export const ChangePasswordBody = Type.Object({ current: SENT_PASSWORD, next: NEW_PASSWORD });
export type ChangePasswordBody = Type.Static<typeof ChangePasswordBody>;

export const TotpSecret = Type.Object({
  secret: Type.String({ description: "Base32, for typing." }),
  uri: Type.String({ description: "`otpauth://totp/…`, for a QR code." }),
});
export type TotpSecret = Type.Static<typeof TotpSecret>;

export const RecoveryCodes = Type.Object({
  recoveryCodes: Type.Array(Type.String(), { description: "Shown this once." }),
});
export type RecoveryCodes = Type.Static<typeof RecoveryCodes>;

export const DisableTotpBody = Type.Object({
  password: SENT_PASSWORD,
  code: Type.String({ minLength: 1, maxLength: 40 }),
});
export type DisableTotpBody = Type.Static<typeof DisableTotpBody>;

const ListedSession = Type.Object({
  sessionId: Type.String(),
  current: Type.Boolean({ description: "The one that asks." }),
  createdAt: Type.String(),
  lastSeenAt: Type.String({ description: "To the minute or so." }),
  address: Type.String(),
  userAgent: Type.String(),
});
export const SessionList = Type.Object({ data: Type.Array(ListedSession) });
export type SessionList = Type.Static<typeof SessionList>;

export const ProfileBody = Type.Object({
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  language: Type.Optional(LANGUAGE),
  timezone: Type.Optional(TIMEZONE),
});
export type ProfileBody = Type.Static<typeof ProfileBody>;
