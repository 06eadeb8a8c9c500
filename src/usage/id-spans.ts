/**
 * Spans of ids in which something lies, as the sums of hours tell them: put together where they
 * meet, and cut to what is looked through.
 */
import type { Uuid } from "../kernel/ids.ts";

/** Both ends are included. */
export interface IdSpan {
  readonly firstId: Uuid;
  readonly lastId: Uuid;
  /** How many rows lie in it, about. */
  readonly count: bigint;
}

/** No id is below it, none above the other. */
export const LEAST_ID: Uuid = "00000000-0000-0000-0000-000000000000";
export const GREATEST_ID: Uuid = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/** Those that overlap are one; newest first. */
export function joinSpans(spans: readonly IdSpan[]): IdSpan[] {
  const joined: IdSpan[] = [];
  for (const span of spans.toSorted((a, b) => (a.lastId < b.lastId ? 1 : -1))) {
    const above = joined.at(-1);
    if (above === undefined || span.lastId < above.firstId) joined.push(span);
    else
      joined[joined.length - 1] = {
        firstId: span.firstId < above.firstId ? span.firstId : above.firstId,
        lastId: above.lastId,
        count: above.count + span.count,
      };
  }
  return joined;
}

/** What of them lies from an id on and before another; none ends above that other one. */
export function cutSpans(
  spans: readonly IdSpan[],
  { from, before }: { readonly from: Uuid; readonly before: Uuid },
): IdSpan[] {
  if (before <= from) return [];
  return spans
    .filter((span) => span.firstId < before && span.lastId >= from)
    .map((span) => {
      const firstId = span.firstId > from ? span.firstId : from;
      const lastId = span.lastId < before ? span.lastId : before;
      const share = lengthOf(firstId, lastId) / lengthOf(span.firstId, span.lastId);
      return { firstId, lastId, count: BigInt(Math.ceil(Number(span.count) * share)) };
    });
}

/** In milliseconds. */
function lengthOf(firstId: Uuid, lastId: Uuid): number {
  return timeOf(lastId) - timeOf(firstId) + 1;
}

/** The newest of them that may have as many as are wanted, but at least one. */
export function newestSpans(spans: readonly IdSpan[], wanted: number): IdSpan[] {
  let count = 0n;
  const enough = spans.findIndex((span) => (count += span.count) >= wanted);
  return enough === -1 ? spans.slice() : spans.slice(0, enough + 1);
}

/** In parts of about as many rows as that, if each is as dense everywhere; newest first. */
export function sliceSpans(spans: readonly IdSpan[], most: number): IdSpan[] {
  return spans.flatMap((span) => {
    const [begin, end] = [timeOf(span.firstId), timeOf(span.lastId) + 1];
    const parts = Math.min(Math.ceil(Number(span.count) / most), end - begin);
    if (parts <= 1) return [span];
    const bounds = Array.from({ length: parts + 1 }, (_, part) =>
      Math.round(end - ((end - begin) * part) / parts),
    );
    return bounds.slice(1).map((from, part) => ({
      firstId: part === parts - 1 ? span.firstId : withTime(from, "0"),
      lastId: part === 0 ? span.lastId : withTime((bounds[part] ?? end) - 1, "f"),
      count: span.count / BigInt(parts),
    }));
  });
}

/**
 * What to look through next of what lies from an id on and before another: about as many rows as
 * that. Each begins before `before`, so that a look that goes on from the last one gets further.
 */
export function nextSpans(
  spans: readonly IdSpan[],
  bounds: { readonly from: Uuid; readonly before: Uuid },
  most: number,
): IdSpan[] {
  const parts = sliceSpans(cutSpans(spans, bounds), most);
  return newestSpans(
    parts.filter(({ firstId }) => firstId < bounds.before),
    most,
  );
}

/** Milliseconds since 1970, which an id (UUIDv7) begins with. */
export function timeOf(id: Uuid): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

function withTime(ms: number, rest: "0" | "f"): Uuid {
  const time = ms.toString(16).padStart(12, "0");
  const [four, twelve] = [rest.repeat(4), rest.repeat(12)];
  return `${time.slice(0, 8)}-${time.slice(8)}-${four}-${four}-${twelve}`;
}
