/**
 * Makes a provider's words fit for our log: bounded, on one line, and without the credential that
 * we showed it.
 */
import type { WordedReason } from "../../contract/operator/upstream-reason.ts";
import { credentialForms } from "../../protocol/credential-forms.ts";
import { safeText } from "../../protocol/safe-text.ts";

const LIMIT_CHARACTERS = 300;
/** Of every part so much is looked at. */
const READ_CHARACTERS = 4_000;
const HIDDEN = "[credential]";

export function reasonText(credential: string, ...parts: readonly (string | null)[]): string {
  return safeText(hidden(joinWords(...parts), credential), LIMIT_CHARACTERS);
}

/** The sentence and what it names: pages write theirs from the latter. */
export function withoutCredential(
  credential: string,
  { reason, coded }: Required<WordedReason>,
): Required<WordedReason> {
  const fit = (text: string): string => reasonText(credential, text);
  const params = Object.entries(coded.params).map(
    ([name, value]) => [name, typeof value === "string" ? fit(value) : value] as const,
  );
  return { reason: fit(reason), coded: { ...coded, params: Object.fromEntries(params) } };
}

/** What of a provider's own words there is. */
export function joinWords(...parts: readonly (string | null)[]): string {
  return parts
    .filter((part) => part !== null && part !== "")
    .map((part) => part?.slice(0, READ_CHARACTERS) ?? "")
    .join(": ");
}

/** Shorter ones are no secrets: that of the sandbox is a word, which stands in addresses. */
const SHORTEST_SECRET = 12;

/** For texts that cannot be changed: ids and addresses. */
export function holdsCredential(text: string, credential: string): boolean {
  return (
    credential.length >= SHORTEST_SECRET &&
    credentialForms(credential).some((form) => text.toLowerCase().includes(form.toLowerCase()))
  );
}

function hidden(text: string, credential: string): string {
  let rest = text;
  for (const form of credentialForms(credential))
    rest = rest.replaceAll(new RegExp(RegExp.escape(form), "gi"), HIDDEN);
  return rest;
}
