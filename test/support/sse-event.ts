/** The bytes of one server-sent event, for scripts. */

/**
 * An event of this data: a string goes as it is, anything else as JSON. Line feeds in the data
 * become several `data:` lines.
 */
export function sseEvent(data: unknown, name?: string): Buffer {
  const text = typeof data === "string" ? data : JSON.stringify(data);
  const lines = text.split("\n").map((line) => `data: ${line}\n`);
  return Buffer.from(`${name === undefined ? "" : `event: ${name}\n`}${lines.join("")}\n`);
}
