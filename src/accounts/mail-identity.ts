/**
 * Whose mailbox an address leads to, as far as that is known: what can be told only once to a person
 * is told by it.
 */
import { domainToASCII } from "node:url";

/** Names of one and the same service. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ["googlemail.com", "gmail.com"],
  ...["ya.ru", "yandex.com", "yandex.by", "yandex.kz", "yandex.uz"].map(
    (domain) => [domain, "yandex.ru"] as const,
  ),
]);

/**
 * The address without what its owner may add or leave out at will: a tag behind `+` everywhere, dots
 * at Gmail, dots for hyphens at Yandex. Two that differ here may still be of one person.
 */
export function mailIdentity(email: string): string {
  const at = email.lastIndexOf("@");
  const written = email.slice(at + 1).toLowerCase();
  const domain = domainToASCII(written) || written;
  const service = ALIASES.get(domain) ?? domain;
  const [untagged = ""] = email.slice(0, at).toLowerCase().split("+");
  const name = untagged === "" ? email.slice(0, at).toLowerCase() : untagged;
  if (service === "gmail.com") return `${name.replaceAll(".", "")}@${service}`;
  if (service === "yandex.ru") return `${name.replaceAll(".", "-")}@${service}`;
  return `${name}@${service}`;
}
