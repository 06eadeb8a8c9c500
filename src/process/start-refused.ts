/**
 * A start that cannot be; the message tells the operator what to do, and nothing else needs to be
 * known.
 */
export class StartRefused extends Error {
  override name = "StartRefused";
}
