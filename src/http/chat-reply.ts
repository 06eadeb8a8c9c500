/**
 * The client's side of a chat exchange over a Node response: one head, whole answers and chunks
 * each in one write, streams with an honest end.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { ChatReply } from "../serving/chat/chat-call.ts";
import type { RateStanding } from "../kernel/rate-limits.ts";
import type { RenderedError } from "../protocol/rendered-error.ts";
import { closesConnection, endBehindSender, LINGER_MS } from "./cut-slow-sender.ts";
import { cutStalledReader } from "./cut-stalled-reader.ts";
import { createLeaveTogether, type LeaveTogether, type Leaving } from "./leave-together.ts";
import { createAnswerHeads, takeHead, type AnswerHeads } from "./whole-answer.ts";

/**
 * Names and values of headers in turn: what `writeHead` takes without making an object of it first.
 */
export type Head = string[];

const STREAM_HEADERS = [
  ["content-type", "text/event-stream; charset=utf-8"],
  ["cache-control", "no-cache"],
  ["x-accel-buffering", "no"],
] as const;
/**
 * A connection that is to be broken off but does not take its last bytes is destroyed anyway after
 * this.
 */
const BREAK_OFF_MS = 5_000;
/**
 * Up to here it is cheaper to make one string of head and body, which is one write of one piece;
 * above, copying costs more than a second piece.
 */
const ONE_STRING_BYTES = 4_096;
/** What ends a body of chunks (RFC 9112 §7.1). */
const LAST_CHUNK = "0\r\n\r\n";

const ignore = (): void => undefined;

/** A reply that can also refuse: the endpoint's own word, while nothing has been sent. */
export interface HttpReply extends ChatReply {
  /** A whole answer was given: all of it goes out, whatever fails behind it. */
  readonly isWhole: boolean;
  refuse(rendered: RenderedError): void;
  /**
   * Refuses a request whose body is still coming. True where the rest of it is seen to here,
   * because the answer closes its connection.
   */
  refuseUnread(rendered: RenderedError, request: IncomingMessage): boolean;
}

/** What the replies of one endpoint have in common. */
export interface ReplyManner {
  readonly renderStanding: (standing: RateStanding) => Readonly<Record<string, string>>;
  readonly leaveTogether: LeaveTogether;
  readonly heads: AnswerHeads;
  /** Another number each time that the code under way has come to its end. */
  readonly turn: () => number;
  readonly stalledMs: number | undefined;
}

/** `stalledMs`: how long a reader may take nothing; for tests that cannot wait a minute. */
export function createReplyManner(
  renderStanding: ReplyManner["renderStanding"],
  stalledMs?: number,
): ReplyManner {
  return {
    renderStanding,
    leaveTogether: createLeaveTogether(),
    heads: createAnswerHeads(),
    turn: createTurnCount(),
    stalledMs,
  };
}

function createTurnCount(): () => number {
  let turn = 0;
  let counted = false;
  const over = (): void => {
    turn += 1;
    counted = false;
  };
  return () => {
    if (!counted) queueMicrotask(over);
    counted = true;
    return turn;
  };
}

/**
 * `head`: the headers that every answer carries. Nothing may have been set on the response itself.
 */
export function createChatReply(
  response: ServerResponse,
  head: Head,
  manner: ReplyManner,
): HttpReply {
  return new NodeReply(response, head, manner);
}

/** A class, because there is one for every open stream: its methods are shared. */
class NodeReply implements HttpReply, Leaving {
  gone = false;
  isWhole = false;
  readonly response: ServerResponse;
  private readonly head: Head;
  private readonly manner: ReplyManner;
  private goneListeners: (() => void)[] | null = null;
  /** The body's chunks are framed here: Node would write each in four pieces. */
  private framing = false;
  /** Where the head has gone; null before it. */
  private connection: Socket | null = null;
  private lastTurn = -1;
  private prepared: Prepared | null = null;
  /** Ends the watch over a reader who does not take what was written. */
  private unwatch: (() => void) | null = null;

  constructor(response: ServerResponse, head: Head, manner: ReplyManner) {
    this.response = response;
    this.manner = manner;
    this.head = head;
    response.on("close", () => this.closed());
    // A write to a socket that the client has reset must not become an unhandled error.
    response.on("error", ignore);
  }

  get streamStarted(): boolean {
    return this.response.headersSent;
  }

  onGone(listener: () => void): void {
    if (this.gone) listener();
    else if (this.goneListeners === null) this.goneListeners = [listener];
    else this.goneListeners.push(listener);
  }

  showStanding(standing: RateStanding): void {
    if (!this.response.headersSent) this.show(this.manner.renderStanding(standing));
  }

  note(name: string, value: string): void {
    if (!this.response.headersSent) this.show({ [name]: value });
  }

  prepare(headers: Readonly<Record<string, string>>, body: Buffer): void {
    if (this.gone || this.response.headersSent || body.length > ONE_STRING_BYTES) return;
    const head = this.head.slice();
    pushWhole(head, headers, body);
    const made = this.manner.heads.make(this.response, head);
    if (made !== null) this.prepared = { headers, body, made, text: body.toString("latin1") };
  }

  json(status: number, headers: Readonly<Record<string, string>>, body: Buffer): void {
    if (this.gone) return;
    const { response, head } = this;
    const ready =
      this.prepared?.headers === headers && this.prepared.body === body ? this.prepared : null;
    if (ready === null) pushWhole(head, headers, body);
    this.manner.heads.put(response, status, head, ready?.made);
    this.isWhole = true;
    if (body.length <= ONE_STRING_BYTES) {
      this.manner.leaveTogether(this, ready?.text ?? body.toString("latin1"));
      return;
    }
    response.end(body);
    this.watchReader();
  }

  left(): void {
    this.watchReader();
  }

  refuse(rendered: RenderedError): void {
    this.refuseHead(rendered);
    this.response.end(rendered.body);
  }

  refuseUnread(rendered: RenderedError, request: IncomingMessage): boolean {
    const { response, head } = this;
    const closes = closesConnection(response, head);
    if (!closes) this.refuse(rendered);
    else {
      this.refuseHead(rendered);
      response.write(rendered.body);
      endBehindSender(request, response, LINGER_MS);
    }
    return closes;
  }

  startStream(headers: Readonly<Record<string, string>> = {}): void {
    const { response, head } = this;
    if (response.headersSent || this.gone) return;
    for (const [name, value] of STREAM_HEADERS)
      if (!Object.hasOwn(headers, name)) head.push(name, value);
    for (const name of Object.keys(headers)) head.push(name, headers[name] ?? "");
    this.manner.heads.putForChunks(response, head);
    // The head announces how the body will be delimited; callers of HTTP/1.0 know no chunks.
    this.framing = response.chunkedEncoding;
    response.chunkedEncoding = false;
  }

  write(bytes: Buffer): boolean {
    // A chunk of no bytes would be the last one.
    if (this.gone || bytes.length === 0) return true;
    const { response, framing } = this;
    const head = framing ? takeHead(response) : "";
    if (head !== "") this.connection = response.socket;
    const room = (this.direct() ?? response).write(framing ? chunkOf(bytes, "", head) : bytes);
    // None while an answer before it on this connection still runs.
    this.connection ??= response.socket;
    if (!room) this.watchReader();
    return room;
  }

  onDrain(listener: () => void): void {
    (this.connection ?? this.response).once("drain", listener);
  }

  end(lastBytes: Buffer | null): void {
    if (this.gone) return;
    const { response } = this;
    if (lastBytes === null || lastBytes.length === 0)
      response.end(this.framing ? LAST_CHUNK : "", "latin1");
    else response.end(this.framing ? chunkOf(lastBytes, LAST_CHUNK) : lastBytes);
    this.watchReader();
  }

  breakOff(lastBytes: Buffer | null): void {
    if (this.gone) return;
    const { socket } = this.response;
    if (socket === null) {
      // An answer before it on this connection still runs; what is broken off is this one, once
      // what it has written is out.
      this.response.once("socket", () => process.nextTick(() => this.breakOff(lastBytes)));
      return;
    }
    const timer = setTimeout(() => socket.destroy(), BREAK_OFF_MS);
    socket.once("close", () => clearTimeout(timer));
    // Without the closing chunk of the transfer encoding, no client can take this for a complete
    // answer.
    if (lastBytes === null || lastBytes.length === 0) socket.destroySoon();
    else
      this.response.write(this.framing ? chunkOf(lastBytes) : lastBytes, () =>
        socket.destroySoon(),
      );
  }

  private refuseHead({ status, headers, body }: RenderedError): void {
    this.show(headers);
    this.head.push("content-length", String(Buffer.byteLength(body)));
    this.response.writeHead(status, this.head);
  }

  /**
   * The connection, for the first piece of a turn, which is mostly the only one: Node's response
   * puts each piece by, in case more comes. What does come in the same turn (many events that the
   * upstream sent at once) goes out together, through the response.
   */
  private direct(): Socket | null {
    const turn = this.manner.turn();
    if (turn === this.lastTurn) return null;
    this.lastTurn = turn;
    return this.connection;
  }

  /**
   * From the moment on at which the connection does not take what it is given, until it has taken
   * all.
   */
  private watchReader(): void {
    const { response } = this;
    if (this.unwatch !== null || response.writableLength === 0) return;
    this.unwatch = cutStalledReader(response, this.manner.stalledMs);
    this.onDrain(() => {
      this.unwatch?.();
      this.unwatch = null;
    });
  }

  /** Later values replace earlier ones of the same name. */
  private show(headers: Readonly<Record<string, string>>): void {
    this.prepared = null;
    for (const [name, value] of Object.entries(headers)) {
      const at = this.head.findIndex((text, i) => i % 2 === 0 && text === name);
      if (at === -1) this.head.push(name, value);
      else this.head[at + 1] = value;
    }
  }

  private closed(): void {
    const { goneListeners } = this;
    this.goneListeners = null;
    if (this.response.writableFinished) return;
    this.gone = true;
    if (goneListeners !== null) for (const listener of goneListeners) listener();
  }
}

/** What would be sent of a whole answer now: head and body, in latin1. */
interface Prepared {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly made: string;
  readonly text: string;
}

function pushWhole(head: Head, headers: Readonly<Record<string, string>>, body: Buffer): void {
  for (const name in headers)
    if (Object.hasOwn(headers, name)) head.push(name, headers[name] ?? "");
  head.push("content-length", String(body.length));
}

/**
 * The bytes as a chunk of the transfer encoding in one piece, with what is before and after it: size
 * line, bytes, line break.
 */
function chunkOf(bytes: Buffer, next = "", before = ""): Buffer {
  const size = `${before}${bytes.length.toString(16)}\r\n`;
  const end = `\r\n${next}`;
  const chunk = Buffer.allocUnsafe(size.length + bytes.length + end.length);
  chunk.write(size, 0, "latin1");
  chunk.set(bytes, size.length);
  chunk.write(end, size.length + bytes.length, "latin1");
  return chunk;
}
