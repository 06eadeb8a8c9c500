/** The id of a chat completion that no upstream has named. */

/**
 * `requestId` is a UUID; the answer's id carries the same bits, so that it leads back to the
 * receipt.
 */
export function completionId(requestId: string): string {
  return `chatcmpl-${requestId.replaceAll("-", "")}`;
}
