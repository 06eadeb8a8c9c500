/**
 * Carries an upstream's seal on a tool call in the id that the caller has for it: the blocks of the
 * Messages protocol have no other place for it that every client gives back, and Gemini refuses the
 * next turn without it (ai.google.dev, thought signatures).
 */

/** Of signs that the vendor allows in an id, since the conversation may go on there. */
const MARK = "__seal_";

export interface SealedCall {
  readonly id: string;
  /** Null where there is none. */
  readonly seal: string | null;
}

export function sealCallId(id: string, seal: string | undefined): string {
  return seal === undefined ? id : `${id}${MARK}${Buffer.from(seal).toString("base64url")}`;
}

/** What is no seal as it was written here is a part of the id. */
export function readCallId(carried: string): SealedCall {
  const at = carried.indexOf(MARK);
  if (at < 0) return { id: carried, seal: null };
  const id = carried.slice(0, at);
  const seal = Buffer.from(carried.slice(at + MARK.length), "base64url").toString();
  return seal !== "" && sealCallId(id, seal) === carried
    ? { id, seal }
    : { id: carried, seal: null };
}
