/** Picks how an answer is packed: the first of ours that the caller takes (RFC 9110 §12.5.3). */

/** @param ours best first. Null: as it is. */
export function chooseEncoding(acceptEncoding: string, ours: readonly string[]): string | null {
  const weights = new Map<string, number>();
  for (const part of acceptEncoding.toLowerCase().split(",")) {
    const [name = "", ...parameters] = part.split(";").map((piece) => piece.trim());
    const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
    if (name !== "") weights.set(name, weight === undefined ? 1 : Number(weight));
  }
  const takes = (encoding: string): boolean => (weights.get(encoding) ?? weights.get("*") ?? 0) > 0;
  return ours.find(takes) ?? null;
}
