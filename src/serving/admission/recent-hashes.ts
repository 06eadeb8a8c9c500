/** The hashes of secrets that were sent a moment ago: to look one up again costs less than to make it. */
import { hashKeySecret, SECRET_LENGTH } from "../../kernel/secrets.ts";

interface Recent {
  readonly secret: string;
  readonly hash: string;
}

/** A power of two: what of a number is below it says where a secret may be. */
const PLACES = 16_384;
/** Its last characters are its checksum, which is spread well. */
const CHARACTERS_OF_PLACE = 4;
/** How long a secret stays in memory, at most, for the next request that brings it. */
const KEPT_MS = 60_000;

/**
 * Returns what hashes a secret. An entry stands for the very text that it was made of, whole; what
 * the hash then stands for is not known here. A secret has one place, which the next one there
 * takes. Not a Map: to find a text in one, the runtime keeps the text itself in a table of its own.
 */
export function createRecentHashes(hash = hashKeySecret): (secret: string) => string {
  let places: (Recent | undefined)[] | null = null;

  function open(): (Recent | undefined)[] {
    setTimeout(() => (places = null), KEPT_MS).unref();
    return Array.from<Recent | undefined>({ length: PLACES });
  }

  return (secret) => {
    // Nothing else can be a key of ours, and it may be long.
    if (secret.length !== SECRET_LENGTH) return hash(secret);
    places ??= open();
    const place = placeOf(secret);
    const known = places[place];
    if (known !== undefined && known.secret === secret) return known.hash;
    const made = { secret, hash: hash(secret) };
    places[place] = made;
    return made.hash;
  };
}

function placeOf(secret: string): number {
  let place = 0;
  for (let at = secret.length - CHARACTERS_OF_PLACE; at < secret.length; at++)
    place = (place * 61 + secret.charCodeAt(at)) % PLACES;
  return place;
}
