/**
 * Hands the chunks of a running answer from its connection straight to who reads it: undici's
 * parser, and the queue in front of it, cost more than all else that is done for a chunk.
 */
import type { Duplex } from "node:stream";

export interface ChunkReader {
  /** The data of a chunk, never empty. */
  onChunk(bytes: Buffer): void;
}

/**
 * For a connection that carries one exchange at a time. undici's parser sees the head of each
 * answer, its end, all that is unusual, and whatever comes while the exchange is paused: it alone
 * judges what is an answer, and its clocks tell silence. In between, a read that consists of whole
 * chunks is taken past it, which it cannot notice, as it stands between two chunks before and
 * after.
 */
export interface ChunkBypass {
  /** The connection that it looks at from now on. */
  watch(socket: Duplex): void;
  /**
   * The head of an answer in chunks has come. `idleMs`: after how much silence undici gives the
   * answer up.
   */
  begin(reader: ChunkReader, idleMs: number): void;
  /**
   * What undici's parser calls back with. False: it is no part of the answer, but what `pause` has
   * put in.
   */
  isOfAnswer(piece: Buffer): boolean;
  /** The reader has taken this piece from undici's parser. */
  passed(piece: Buffer): void;
  /** The exchange is paused, and undici has been told: its clock of silence stands still, too. */
  pause(): void;
  resume(): void;
  end(): void;
}

const CR = 0x0d;
const LF = 0x0a;
/** What stands between two chunks. */
const LINE_END_BYTES = 2;
/** A chunk of 256 MB or more is left to undici. */
const MOST_DIGITS = 7;
/** A piece of the answer goes by undici's parser so often, which is how its clock is wound up. */
const RENEWALS_IN_SILENCE = 32;
const RENEWED_AFTER_MS = 1_000;
/** undici pauses in a piece only; where none is there, this one is. */
const FILLER = Buffer.from("1\r\n.\r\n");

type Push = (chunk: unknown, encoding?: BufferEncoding) => boolean;

export function createChunkBypass(): ChunkBypass {
  return new ConnectionBypass();
}

/** A class, because there is one for every connection: its methods are shared. */
class ConnectionBypass implements ChunkBypass {
  #push: Push | null = null;
  #reader: ChunkReader | null = null;
  /** What was given to undici's parser last. */
  #given: Buffer | null = null;
  /** undici's parser has taken all that was read, and stands between two chunks. */
  #between = false;
  #paused = false;
  #reading = false;
  #fillers = 0;
  #renewMs = 0;
  #renewAtMs = 0;

  watch(socket: Duplex): void {
    this.end();
    const push = socket.push.bind(socket) as Push;
    this.#push = push;
    socket.push = (chunk: unknown, encoding?: BufferEncoding) =>
      this.#push === push && Buffer.isBuffer(chunk) ? this.#read(chunk) : push(chunk, encoding);
  }

  begin(reader: ChunkReader, idleMs: number): void {
    this.#reader = reader;
    this.#renewMs = Math.min(RENEWED_AFTER_MS, idleMs / RENEWALS_IN_SILENCE);
  }

  isOfAnswer(piece: Buffer): boolean {
    if (this.#fillers === 0) return true;
    // It was put in where undici's parser had taken everything before it.
    if (piece.length !== 1) throw new Error("a chunk came before its turn");
    this.#fillers -= 1;
    return false;
  }

  passed(piece: Buffer): void {
    const given = this.#given;
    if (given === null || this.#reader === null || this.#paused) return;
    // A chunk that goes on in the next read ends where the read does. undici's parser goes over the
    // line end behind this one before it returns, or fails the exchange.
    this.#between =
      piece.buffer === given.buffer &&
      piece.byteOffset + piece.length + LINE_END_BYTES === given.byteOffset + given.length;
    if (this.#between) this.#renewAtMs = performance.now() + this.#renewMs;
  }

  pause(): void {
    this.#paused = true;
    if (!this.#between || this.#reading) return;
    this.#fillers += 1;
    this.#give(FILLER);
  }

  resume(): void {
    this.#paused = false;
  }

  end(): void {
    this.#reader = null;
    this.#given = null;
    this.#between = false;
    this.#paused = false;
    this.#fillers = 0;
  }

  /** As `push` of a stream: false asks for no more. */
  #give(bytes: Buffer): boolean {
    this.#between = false;
    this.#given = bytes;
    return this.#push?.(bytes) ?? false;
  }

  #read(bytes: Buffer): boolean {
    const reader = this.#reader;
    if (reader === null || !this.#between || performance.now() >= this.#renewAtMs)
      return this.#give(bytes);
    this.#reading = true;
    let at = 0;
    try {
      while (at < bytes.length && !this.#paused) {
        const data = dataAt(bytes, at);
        if (data === null) break;
        at = data.byteOffset - bytes.byteOffset + data.length + LINE_END_BYTES;
        reader.onChunk(data);
        // It has broken the exchange off.
        if (this.#reader !== reader) return false;
      }
    } finally {
      this.#reading = false;
    }
    if (at < bytes.length) return this.#give(bytes.subarray(at));
    if (this.#paused) this.pause();
    return true;
  }
}

/** The data of the chunk that begins at `at`; null where it is not whole, the last, or unusual. */
function dataAt(bytes: Buffer, at: number): Buffer | null {
  let size = 0;
  let end = at;
  while (end - at < MOST_DIGITS) {
    const digit = hexDigit(bytes[end] ?? 0);
    if (digit < 0) break;
    size = size * 16 + digit;
    end += 1;
  }
  const from = end + LINE_END_BYTES;
  const to = from + size;
  if (size === 0 || !isLineEnd(bytes, end) || !isLineEnd(bytes, to)) return null;
  return bytes.subarray(from, to);
}

function isLineEnd(bytes: Buffer, at: number): boolean {
  return bytes[at] === CR && bytes[at + 1] === LF;
}

/** -1 for what is none. */
function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  if (byte >= 0x61 && byte <= 0x66) return byte - 0x57;
  if (byte >= 0x41 && byte <= 0x46) return byte - 0x37;
  return -1;
}
