/** Who may come in, by the installation's settings: asked at each way of becoming a member. */
import type { AgreedConsent } from "../../accounts/consents.store.ts";
import type { Consent } from "../../contract/panel/installation.ts";
import type { Settings } from "../../contract/panel/operator-settings.ts";
import { sayRefusal } from "../../contract/sentences/say-refusal.ts";
import { Fault } from "../../kernel/faults.ts";
import { isUuid } from "../../kernel/ids.ts";

type Rules = Settings["signUp"];

/** What a form says was agreed to. */
export type SentConsents = readonly { readonly consentId: string; readonly version: number }[];

/** Throws Fault("permission_denied") while no stranger may open an account. */
export function checkOpen({ mode }: Rules): void {
  if (mode === "closed") throw new Fault("permission_denied", sayRefusal("sign_up_closed"));
}

/** Throws Fault("permission_denied") where only e-mails of other domains are taken. */
export function checkDomain({ mode, domains }: Rules, email: string): void {
  const domain = email.slice(email.lastIndexOf("@") + 1);
  if (mode !== "domains" || domains.includes(domain)) return;
  throw new Fault("permission_denied", {
    ...sayRefusal("sign_up_domain", { domains: domains.join(", ") }),
    param: "email",
  });
}

/**
 * Returns what was agreed to, in the wordings in force. Throws Fault("invalid_request") where
 * something is missing, "conflict" where a wording is not the one in force.
 */
export function readConsents({ consents }: Rules, sent: SentConsents): AgreedConsent[] {
  const agreed = sent.flatMap(({ consentId, version }) => {
    const known = consents.find((consent) => consent.consentId === consentId);
    if (known === undefined || known.version !== version || !isUuid(consentId))
      throw new Fault("conflict", { ...sayRefusal("consents_changed"), param: "consents" });
    return [{ consentId, version }];
  });
  const missing = (consent: Consent): boolean =>
    consent.required && !agreed.some(({ consentId }) => consentId === consent.consentId);
  if (consents.some(missing))
    throw new Fault("invalid_request", { ...sayRefusal("consent_needed"), param: "consents" });
  return agreed;
}
