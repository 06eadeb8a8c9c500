/**
 * A random UUID: sending a form twice makes one key. Unlike the browser's own randomUUID, also where
 * the panel is opened by plain HTTP.
 */
export function newFormId(): string {
  const hex = [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
}
