/**
 * A name for what is booked once, however often it is sent. By random bytes, which pages without
 * TLS have too, unlike `randomUUID`.
 */
export function newReference(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `panel-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
