/**
 * Whether what an authenticator made and signed is good (WebAuthn §7.1, §7.2), by a library that is
 * loaded with the first passkey. It checks origin, domain, presence and verification of the person,
 * algorithm and signature; challenges and counters are held by us.
 */
import type { PasskeyAssertion, PasskeyCreated } from "../../contract/panel/passkeys.ts";
import type { RelyingParty } from "./relying-party.ts";

/** COSE numbers: EdDSA, ES256, RS256. All passkeys in use have one of them. */
export const PASSKEY_ALGORITHMS = [-8, -7, -257] as const;

export interface NewCredential {
  readonly credentialId: Buffer;
  readonly publicKey: Buffer;
  readonly counter: number;
}

interface Expected {
  readonly party: RelyingParty;
  /** That was taken. */
  readonly challenge: string;
}

/** What a new passkey brings; null: something is wrong with it. */
export async function readCreated(
  { id, response }: PasskeyCreated,
  { party, challenge }: Expected,
): Promise<NewCredential | null> {
  const [library, { decodeAttestationObject }] = await Promise.all([
    import("@simplewebauthn/server"),
    import("@simplewebauthn/server/helpers"),
  ]);
  try {
    // Nothing is asked of its maker, and what comes unasked is not looked at: certificates name
    // addresses for their revocation, which the library would fetch.
    const attested = decodeAttestationObject(Buffer.from(response.attestationObject, "base64url"));
    const self =
      attested.get("fmt") === "packed" && attested.get("attStmt").get("x5c") === undefined;
    if (attested.get("fmt") !== "none" && !self) return null;
    const { verified, registrationInfo } = await library.verifyRegistrationResponse({
      response: { ...whole(id), response },
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: [...PASSKEY_ALGORITHMS],
    });
    if (!verified) return null;
    const { credential } = registrationInfo;
    if (credential.id !== id) return null;
    return {
      credentialId: Buffer.from(credential.id, "base64url"),
      publicKey: Buffer.from(credential.publicKey),
      counter: credential.counter,
    };
  } catch {
    // What it throws says what is wrong, in words for programmers.
    return null;
  }
}

/** The counter of a good signature; null: it is none. */
export async function readAssertion(
  { id, response }: PasskeyAssertion,
  { party, challenge, publicKey }: Expected & { readonly publicKey: Buffer },
): Promise<number | null> {
  const library = await import("@simplewebauthn/server");
  try {
    const { verified, authenticationInfo } = await library.verifyAuthenticationResponse({
      response: { ...whole(id), response },
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      // It would refuse a counter before the signature is looked at, and a stranger could claim that
      // a passkey was copied.
      credential: { id, publicKey: new Uint8Array(publicKey), counter: 0 },
    });
    return verified ? authenticationInfo.newCounter : null;
  } catch {
    return null;
  }
}

function whole(id: string) {
  return { id, rawId: id, type: "public-key", clientExtensionResults: {} } as const;
}
