/**
 * The seal that an upstream of the Responses protocol puts on its reasoning, as callers of other
 * protocols carry it and give it back: marked, since no other upstream can open it.
 */

const MARK = "responses_seal:";

/** For finding it in bytes before anything is parsed. */
export const RESPONSES_SEAL_MARK = Buffer.from(MARK);

export interface ResponsesSeal {
  /** Of the item; the upstream may hold the seal against it. Empty where it had none. */
  readonly id: string;
  readonly encrypted: string;
}

export function writeResponsesSeal({ id, encrypted }: ResponsesSeal): string {
  return `${MARK}${id.includes(":") ? "" : id}:${encrypted}`;
}

/** Null for the seal of any other upstream. */
export function readResponsesSeal(seal: string): ResponsesSeal | null {
  if (!seal.startsWith(MARK)) return null;
  const colon = seal.indexOf(":", MARK.length);
  const encrypted = colon < 0 ? "" : seal.slice(colon + 1);
  return encrypted === "" ? null : { id: seal.slice(MARK.length, colon), encrypted };
}

export function isResponsesSeal(seal: string): boolean {
  return seal.startsWith(MARK);
}
