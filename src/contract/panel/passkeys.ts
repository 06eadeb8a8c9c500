/**
 * Passkeys: what a browser is given to make one or to ask for one, and what it sends back. The shapes
 * are those of WebAuthn in JSON (https://www.w3.org/TR/webauthn-3/), which browsers read and write.
 */
import Type from "typebox";
import { moment } from "../money.ts";
import { nullableString } from "../nullable.ts";

const LONGEST_ID = 1_400;

const bytes = (maxLength: number) =>
  Type.String({ minLength: 1, maxLength, pattern: "^[A-Za-z0-9_-]+$", description: "Base64url." });
/** As the browser names them: `internal`, `hybrid`, `usb` … */
const TRANSPORTS = Type.Array(Type.String({ maxLength: 20 }), { maxItems: 10 });
const PUBLIC_KEY = Type.Literal("public-key");

export const ListedPasskey = Type.Object({
  passkeyId: Type.String(),
  name: Type.String(),
  addedAt: moment("When it was added."),
  lastUsedAt: nullableString({ description: "The last log-in by it; null: none yet." }),
});
export type ListedPasskey = Type.Static<typeof ListedPasskey>;

/** All of them: a member has ten at most. */
export const PasskeyList = Type.Object({ data: Type.Array(ListedPasskey) });
export type PasskeyList = Type.Static<typeof PasskeyList>;

export const BeginPasskeyBody = Type.Object({
  password: Type.String({ minLength: 1, maxLength: 200 }),
});
export type BeginPasskeyBody = Type.Static<typeof BeginPasskeyBody>;

/** For `navigator.credentials.create`, by `parseCreationOptionsFromJSON`. */
export const PasskeyCreation = Type.Object({
  rp: Type.Object({ id: Type.String(), name: Type.String() }),
  user: Type.Object({ id: Type.String(), name: Type.String(), displayName: Type.String() }),
  challenge: Type.String({ description: "Good once, for this session, for five minutes." }),
  pubKeyCredParams: Type.Array(Type.Object({ type: PUBLIC_KEY, alg: Type.Integer() })),
  timeout: Type.Integer({ description: "Milliseconds." }),
  excludeCredentials: Type.Array(
    Type.Object({ type: PUBLIC_KEY, id: Type.String(), transports: TRANSPORTS }),
    { description: "The member's own: one authenticator has one." },
  ),
  authenticatorSelection: Type.Object({
    residentKey: Type.Literal("required"),
    requireResidentKey: Type.Literal(true),
    userVerification: Type.Literal("required"),
  }),
  attestation: Type.Literal("none"),
});
export type PasskeyCreation = Type.Static<typeof PasskeyCreation>;

/** Of what `create` gave. */
export const PasskeyCreated = Type.Object({
  id: bytes(LONGEST_ID),
  response: Type.Object({
    clientDataJSON: bytes(8_000),
    attestationObject: bytes(16_000),
    transports: Type.Optional(TRANSPORTS),
  }),
});
export type PasskeyCreated = Type.Static<typeof PasskeyCreated>;

export const AddPasskeyBody = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 60 }),
  credential: PasskeyCreated,
});
export type AddPasskeyBody = Type.Static<typeof AddPasskeyBody>;

export const AddedPasskey = Type.Object({
  passkey: ListedPasskey,
  recoveryCodes: Type.Union([Type.Array(Type.String()), Type.Null()], {
    description: "With the first factor of all, shown this once; null: the member has some.",
  }),
});
export type AddedPasskey = Type.Static<typeof AddedPasskey>;

/** For `navigator.credentials.get`, by `parseRequestOptionsFromJSON`: of any member. */
export const PasskeyRequest = Type.Object({
  rpId: Type.String(),
  challenge: Type.String({ description: "Good once, in this browser, for five minutes." }),
  timeout: Type.Integer({ description: "Milliseconds." }),
  userVerification: Type.Literal("required"),
});
export type PasskeyRequest = Type.Static<typeof PasskeyRequest>;

/** Of what `get` gave. */
export const PasskeyAssertion = Type.Object({
  id: bytes(LONGEST_ID),
  response: Type.Object({
    clientDataJSON: bytes(8_000),
    authenticatorData: bytes(8_000),
    signature: bytes(8_000),
    userHandle: bytes(100),
  }),
});
export type PasskeyAssertion = Type.Static<typeof PasskeyAssertion>;

export const PasskeyLogInBody = Type.Object({ credential: PasskeyAssertion });
export type PasskeyLogInBody = Type.Static<typeof PasskeyLogInBody>;
