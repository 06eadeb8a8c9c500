/** A reference by which a booking is known: the same one again books nothing. */

const BYTES = 16;

/** By random bytes, which pages without TLS have too, unlike `randomUUID`. */
export function newReference(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(BYTES));
  return `panel-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
