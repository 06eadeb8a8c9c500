/** Cuts the bytes of pictures out of what is shown of a request. */

/** Nothing but base64 runs on for so long. */
const BYTES = /[A-Za-z0-9+/]{400,}={0,2}/g;

export function shortenMedia(text: string): string {
  return text.replaceAll(BYTES, (run) => `${run.slice(0, 24)}…`);
}
