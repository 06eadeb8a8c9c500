/** The id of a message that no upstream has named. */

/**
 * `requestId` is a UUID; the message's id carries the same bits, so that it leads back to the
 * receipt.
 */
export function messageId(requestId: string): string {
  return `msg_${requestId.replaceAll("-", "")}`;
}
