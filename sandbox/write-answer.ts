/**
 * Puts an answer on the wire as a directive wants it: well, or with the fault that was asked for at
 * the place that was asked for.
 */
import type { Dialect } from "./dialect.ts";
import type { Directives } from "./parse-directives.ts";
import type { Reply } from "./reply.ts";

export interface Outcome {
  readonly status: number;
  /** SSE events or, for a whole answer, 1. */
  readonly events: number;
  readonly end: "complete" | "broken-off" | "client-gone";
}

export interface Writing {
  readonly dialect: Pick<Dialect, "error" | "errorEvent">;
  readonly reply: Reply;
  readonly directives: Directives;
  readonly requestId: string;
}

const STREAM_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache",
};
const HTML =
  "<!doctype html><html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>\n";
const FAILURE = "sandbox: the failure that was asked for";

/** Faults that replace the answer as a whole; null when the answer is to be given. */
export async function writeFault(writing: Writing): Promise<Outcome | null> {
  const { directives, reply, dialect } = writing;
  if (directives.reset) {
    reply.reset();
    return { status: 0, events: 0, end: "broken-off" };
  }
  if (directives.hang) {
    await reply.hang();
    return { status: 0, events: 0, end: "client-gone" };
  }
  if (directives.body === null && directives.status === null) return null;
  const status = directives.status ?? 200;
  if (directives.body === "html")
    return writeWhole(writing, status, HTML, "text/html; charset=utf-8");
  if (directives.body === "empty") return writeWhole(writing, status, "", "application/json");
  if (directives.body === null && status < 400) return null;
  const mistake = {
    status: status < 400 ? 500 : status,
    message: directives.body === null ? `sandbox: status ${status} as asked` : FAILURE,
    param: null,
  };
  if (reply.closed) return { status, events: 0, end: "client-gone" };
  return writeWhole(writing, status, JSON.stringify(dialect.error(mistake)), "application/json");
}

/**
 * A whole JSON answer. Where a place is counted (cut, end, silentAt), it is in bytes of the body.
 */
export async function writeAnswer(writing: Writing, whole: unknown): Promise<Outcome> {
  const { directives, dialect } = writing;
  const status = directives.status ?? 200;
  if (directives.garbage !== null)
    return writeWhole(writing, status, '{"choices": [garbage', "application/json");
  if (directives.errorEvent !== null) {
    return writeWhole(
      writing,
      status,
      JSON.stringify(dialect.error({ status: 500, message: FAILURE, param: null })),
      "application/json",
    );
  }
  return writeWhole(writing, status, JSON.stringify(whole), "application/json");
}

/**
 * Piece by piece: events of a stream, or parts of a file that comes while it is made. Where a place
 * is counted, it is in pieces: `cut=3` gives three of them and breaks off.
 */
export async function writeStream(
  writing: Writing,
  pieces: Iterable<string | Buffer>,
  pauseMs: number,
  contentType = STREAM_HEADERS["content-type"],
): Promise<Outcome> {
  const { dialect, directives, reply } = writing;
  const status = directives.status ?? 200;
  const headers = { ...STREAM_HEADERS, "content-type": contentType };
  await reply.head(status, { ...headers, ...commonHeaders(writing) });
  let sent = 0;
  const outcome = (end: Outcome["end"]): Outcome => ({
    status,
    events: sent,
    end: reply.closed && end === "complete" ? "client-gone" : end,
  });
  /** Does what is due before the event of this index; true when that was the end. */
  const faultAt = async (index: number): Promise<Outcome | null> => {
    if (directives.garbage === index) await reply.write("data: {not json\n\n");
    if (directives.errorEvent === index) {
      await reply.write(dialect.errorEvent(FAILURE));
      reply.end();
      return outcome("broken-off");
    }
    if (directives.silentAt === index) {
      await reply.hang();
      return outcome("client-gone");
    }
    if (directives.end === index) {
      reply.end();
      return outcome("broken-off");
    }
    if (directives.cut === index) {
      reply.destroy();
      return outcome("broken-off");
    }
    return null;
  };
  for (const piece of pieces) {
    const fault = await faultAt(sent);
    if (fault !== null) return fault;
    if (sent > 0) await reply.pause(pauseMs);
    if (reply.closed) return outcome("client-gone");
    await reply.write(piece);
    sent++;
  }
  const fault = await faultAt(sent);
  if (fault !== null) return fault;
  reply.end();
  return outcome("complete");
}

/** A whole body of any type. Where a place is counted, it is in bytes. */
export async function writeWhole(
  writing: Omit<Writing, "dialect">,
  status: number,
  text: string | Buffer,
  contentType: string,
): Promise<Outcome> {
  const { directives, reply } = writing;
  const body = typeof text === "string" ? Buffer.from(text) : text;
  const short = directives.end !== null && directives.end < body.length;
  const headers = {
    "content-type": contentType,
    ...commonHeaders(writing),
    ...(short ? {} : { "content-length": body.length }),
  };
  await reply.head(status, headers);
  const breaks = [directives.cut, directives.end, directives.silentAt].filter(
    (place) => place !== null && place < body.length,
  );
  if (breaks.length === 0) {
    await reply.write(body);
    reply.end();
    return { status, events: 1, end: "complete" };
  }
  const place = Math.min(...breaks.map(Number));
  await reply.write(body.subarray(0, place));
  if (place === directives.cut) reply.destroy();
  else if (place === directives.end) reply.end();
  else await reply.hang();
  return { status, events: 0, end: "broken-off" };
}

function commonHeaders({
  directives,
  requestId,
}: Omit<Writing, "dialect">): Record<string, string> {
  return {
    "x-request-id": requestId,
    "request-id": requestId,
    ...(directives.retryAfter === null ? {} : { "retry-after": directives.retryAfter }),
    ...(directives.contentType === null ? {} : { "content-type": directives.contentType }),
  };
}
