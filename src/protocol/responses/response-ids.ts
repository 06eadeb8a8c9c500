/** The ids of a response and of its items, made of the id of the request that leads to its receipt. */

/** `requestId` is a UUID; the response's id carries the same bits. */
export function responseId(requestId: string): string {
  return `resp_${requestId.replaceAll("-", "")}`;
}

/** `msg`, `rs`, `fc` …, as OpenAI begins them; `index` is the item's place in the output. */
export function itemId(prefix: string, requestId: string, index: number): string {
  return `${prefix}_${requestId.replaceAll("-", "")}${String(index).padStart(4, "0")}`;
}
