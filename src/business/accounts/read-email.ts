/** E-mail addresses as they are kept: in lower case, without spaces around them. */
import { sayRefusal } from "../../contract/sentences/say-refusal.ts";
import { Fault } from "../../kernel/faults.ts";

const LONGEST_EMAIL = 254;

/**
 * Throws Fault("invalid_request") on what cannot be an address; whether one exists is known only by
 * writing to it.
 */
export function readEmail(text: string): string {
  const email = text.trim().toLowerCase();
  if (email.length <= LONGEST_EMAIL && /^[^\s@<>"(),:;]+@[^\s@<>"(),:;]+$/.test(email))
    return email;
  throw new Fault("invalid_request", { ...sayRefusal("no_email"), param: "email" });
}
