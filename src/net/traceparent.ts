/**
 * The `traceparent` header of W3C Trace Context: which span of which trace a request belongs to.
 */

export interface TraceParent {
  /** 32 hex digits, not all zero. */
  readonly traceId: string;
  /** 16 hex digits, not all zero. */
  readonly spanId: string;
  /** One byte; bit 0: the caller records this trace. */
  readonly flags: number;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const NO_TRACE = "0".repeat(32);
const NO_SPAN = "0".repeat(16);

/**
 * Null for whatever the standard calls invalid (section 3.2), a header that was sent twice among
 * it. A later version of the format may say more behind a further dash; what it begins with still
 * holds.
 */
export function readTraceparent(header: string): TraceParent | null {
  const [, version = "", traceId = "", spanId = "", flags = "", more] =
    TRACEPARENT.exec(header) ?? [];
  if (version === "" || version === "ff" || traceId === NO_TRACE || spanId === NO_SPAN) return null;
  if (version === "00" && more !== undefined) return null;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) };
}

export function formatTraceparent(parent: TraceParent): string {
  return `00-${parent.traceId}-${parent.spanId}-${parent.flags.toString(16).padStart(2, "0")}`;
}
