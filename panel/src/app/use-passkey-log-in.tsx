/**
 * A log-in by a passkey: by its button, and offered by the browser itself in the field of the e-mail
 * for as long as the form is there.
 */
import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import type { ReactNode } from "react";
import type { PasskeyAssertion } from "../../../src/contract/panel/passkeys.ts";
import type { Session } from "../../../src/contract/panel/sessions.ts";
import { postApi } from "../api/call-api.ts";
import { Button } from "../ui/button.tsx";
import { askPasskey, usePasskeysHere } from "./passkeys.ts";
import { useAuthTexts } from "./use-auth-texts.ts";

/** What it has to sign is good for five minutes. */
const RENEW_MS = 240_000;

interface PasskeyLogIn {
  /** Null: there can be none here. */
  readonly button: ReactNode;
  readonly error: unknown;
}

/** @param offers whether the form has a field that the browser offers them in. */
export function usePasskeyLogIn(
  onSession: (session: Session) => void,
  { offers }: { readonly offers: boolean },
): PasskeyLogIn {
  const t = useAuthTexts();
  const here = usePasskeysHere();
  const offer = useRef<AbortController>(null);
  const { mutate, isPending, error } = useMutation({
    async mutationFn(given: PasskeyAssertion | null) {
      const credential = given ?? (await askPasskey(await postApi("/log-in/passkey/begin")));
      return credential === null ? null : postApi("/log-in/passkey", { body: { credential } });
    },
    onSuccess(session) {
      if (session !== null) onSession(session);
    },
  });
  useEffect(() => {
    if (!here || !offers || isPending) return undefined;
    const left = new AbortController();
    offer.current = left;
    void takeOffered(left.signal).then((given) => {
      if (given !== null) mutate(given);
    });
    return () => left.abort();
  }, [here, offers, isPending, mutate]);
  if (!here) return { button: null, error: null };
  const button = (
    <Button
      className="button-wide"
      busy={isPending}
      onClick={() => {
        // A browser asks for one at a time.
        offer.current?.abort();
        mutate(null);
      }}
    >
      {t.logInPasskey}
    </Button>
  );
  return { button, error };
}

/** Waits until one is chosen in the field; null: the form has gone, or this browser offers none. */
async function takeOffered(left: AbortSignal): Promise<PasskeyAssertion | null> {
  const offering = await PublicKeyCredential.isConditionalMediationAvailable();
  while (offering && !left.aborted) {
    // Not being reached is told by the form that is sent, not by what was not pressed.
    const request = await postApi("/log-in/passkey/begin").catch(() => null);
    if (request === null) return null;
    const renew = AbortSignal.timeout(RENEW_MS);
    const signal = AbortSignal.any([left, renew]);
    const given = await askPasskey(request, { mediation: "conditional", signal });
    if (given !== null || !renew.aborted) return given;
  }
  return null;
}
