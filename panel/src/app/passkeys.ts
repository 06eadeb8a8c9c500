/**
 * Passkeys as this browser has them: whether there can be any here, one that it makes, and one that it
 * signs with. It reads and writes WebAuthn in JSON itself.
 */
import type {
  PasskeyAssertion,
  PasskeyCreated,
  PasskeyCreation,
  PasskeyRequest,
} from "../../../src/contract/panel/passkeys.ts";
import { useInstallation } from "../api/installation.ts";

/** Where the panel is reached by its own name, in a browser that can. */
export function usePasskeysHere(): boolean {
  const { passkeys } = useInstallation();
  return (
    passkeys === location.hostname &&
    typeof PublicKeyCredential === "function" &&
    // Of one age with `toJSON` and `parseCreationOptionsFromJSON`.
    "parseRequestOptionsFromJSON" in PublicKeyCredential
  );
}

/** `known`: this authenticator has one of the member's already. `left`: it was called off. */
export async function createPasskey(
  creation: PasskeyCreation,
): Promise<{ readonly made: PasskeyCreated } | "known" | "left"> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(creation);
  try {
    const made = await navigator.credentials.create({ publicKey });
    if (!(made instanceof PublicKeyCredential)) return "left";
    const { id, response } = made.toJSON() as PasskeyCreated;
    const { clientDataJSON, attestationObject, transports = [] } = response;
    return { made: { id, response: { clientDataJSON, attestationObject, transports } } };
  } catch (error) {
    return error instanceof DOMException && error.name === "InvalidStateError" ? "known" : "left";
  }
}

/** Null: it was called off, or nothing here fits. */
export async function askPasskey(
  request: PasskeyRequest,
  how: Pick<CredentialRequestOptions, "mediation" | "signal"> = {},
): Promise<PasskeyAssertion | null> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(request);
  try {
    const got = await navigator.credentials.get({ publicKey, ...how });
    if (!(got instanceof PublicKeyCredential)) return null;
    const { id, response } = got.toJSON() as PasskeyAssertion;
    const { clientDataJSON, authenticatorData, signature, userHandle } = response;
    return { id, response: { clientDataJSON, authenticatorData, signature, userHandle } };
  } catch {
    return null;
  }
}
