/**
 * The body of a whole answer, also where its upstream put a byte order mark before it, or streamed
 * it without being asked to.
 */
import type { Frame, UpstreamDialect } from "./chat-dialect.ts";

/** A body of events begins with the name of a field, or a comment; one of JSON never does. */
const BEGINS_AS_STREAM = /^\s*(?:data|event|id)?:/;
const BEGINNING_BYTES = 64;

const OPEN_BRACE = 0x7b;
/** JSON has none, and is not read behind one. */
const BYTE_ORDER_MARK = Buffer.from("\u{FEFF}");

function readFrames(upstream: UpstreamDialect, body: Buffer): readonly Frame[] | null {
  const reader = upstream.createFrameReader();
  try {
    const frames = reader.push(body);
    const broken = frames.some(({ kind }) => kind === "error" || kind === "garbage");
    return reader.finished && !broken ? frames : null;
  } catch {
    // An event beyond its limit.
    return null;
  }
}

/**
 * Some upstreams stream whatever they are asked (proxies of providers that only stream), and then
 * nothing says so but the body itself. A whole stream becomes the answer that it comes to; of one
 * that is broken nothing is made, so it stays what no reader takes for an answer.
 */
export function wholeBody(upstream: UpstreamDialect, bytes: Buffer): Buffer {
  // As nearly all begin.
  if (bytes[0] === OPEN_BRACE) return bytes;
  const marked = bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  const body = marked ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;
  if (!BEGINS_AS_STREAM.test(body.toString("latin1", 0, BEGINNING_BYTES))) return body;
  const frames = readFrames(upstream, body);
  if (frames === null) return body;
  const assembler = upstream.createAssembler();
  for (const { payload } of frames) if (payload !== null) assembler.add(payload);
  return assembler.finish(null);
}
