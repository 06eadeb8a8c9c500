/**
 * Reads which key of its account a member makes a request through: its hash, in a header that means
 * nothing outside the panel.
 */
import { Fault } from "../../../kernel/faults.ts";
import { classifyCredential } from "../../../kernel/secrets.ts";

const HEADER = "x-tollgate-key";

/** In lower case. Throws Fault("invalid_request"), which never repeats what was sent. */
export function readKeyHash(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): string {
  const sent = headers[HEADER];
  const text = typeof sent === "string" ? sent.trim() : "";
  if (classifyCredential(text) === "hash") return text.toLowerCase();
  const what = text === "" ? "missing" : "not the hash of a key";
  throw new Fault("invalid_request", {
    message: `The header ${HEADER} is ${what}. Choose a key: the panel names it by its hash, never by its secret or its mask.`,
    param: HEADER,
  });
}
