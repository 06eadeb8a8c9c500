/** One request as an endpoint hands it over, and the reply side that the gateway drives. */
import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import { toFault } from "../../kernel/faults.ts";
import type { Uuid } from "../../kernel/ids.ts";
import type { RateStanding } from "../../kernel/rate-limits.ts";
import type { ChatDialect } from "../../protocol/chat-dialect.ts";
import type { Caller } from "../admission/find-caller.ts";
import type { Conversation } from "../responses/conversation.ts";
import type { ChatTrace } from "./chat-trace.ts";

/**
 * The client's side of one exchange. The endpoint implements it over its transport; the gateway
 * never sees sockets.
 */
export interface ChatReply {
  /** The client went away before the reply ended. */
  readonly gone: boolean;
  /** Called once, at once when the client is gone already. */
  onGone(listener: () => void): void;
  /** How the caller stands to its rate limits, for the head of whatever is answered. */
  showStanding(standing: RateStanding): void;
  /** A header of whatever is answered. */
  note(name: string, value: string): void;
  /**
   * Makes what `json` will send for these headers and this body while there is time, and sends
   * nothing. Absent: there is nothing to make.
   */
  prepare?(headers: Readonly<Record<string, string>>, body: Buffer): void;
  /** One whole answer in one write. */
  json(status: number, headers: Readonly<Record<string, string>>, body: Buffer): void;
  /** Commits status 200, the stream headers and these besides; a second call does nothing. */
  startStream(headers?: Readonly<Record<string, string>>): void;
  readonly streamStarted: boolean;
  /**
   * Returns false when the client reads slower than the upstream writes; `onDrain` tells when to go
   * on.
   */
  write(bytes: Buffer): boolean;
  onDrain(listener: () => void): void;
  /** Ends the stream properly. */
  end(lastBytes: Buffer | null): void;
  /**
   * Writes the bytes, then breaks the connection, so that the client cannot take the answer for a
   * whole one.
   */
  breakOff(lastBytes: Buffer | null): void;
}

/** What is asked for and answered in one exchange, in the dialect of its endpoint. */
export interface RawCall<Dialect> {
  /** What the caller speaks. */
  readonly dialect: Dialect;
  readonly requestId: Uuid;
  readonly startedAt: Date;
  readonly startedMs: number;
  readonly key: Caller;
  /** The caller's address, for the key's allow-list. */
  readonly ip: string;
  readonly body: Buffer;
  /** It was read, and is empty from now on: a long answer must not keep it. Absent: it stays. */
  dropBody?(): void;
  /** The request itself, for an endpoint that reads its body as it comes. */
  readonly incoming?: Readable & { readonly headers: IncomingHttpHeaders };
  /** The caller's own name for this request, however often it is sent; null without one. */
  readonly idempotencyKey: string | null;
  /**
   * Headers of the caller's protocol that an upstream of the same protocol gets as they are, names
   * in lower case.
   */
  readonly forward: Readonly<Record<string, string>>;
  /** The query string for such an upstream, with its question mark; empty for none. */
  readonly query: string;
  readonly reply: ChatReply;
  /** Begun and ended by the endpoint. */
  readonly trace: ChatTrace;
  /** At `/v1/responses`, once its body is whole: what it has to do with answers that are kept. */
  readonly conversation?: Conversation;
}

export type ChatCall = RawCall<ChatDialect>;

/** Hears once that a request is over. */
export interface Ending {
  /** `thrown`: a Fault, or what is none, while nothing has been sent; null: the reply is over. */
  over(thrown: unknown): void;
}

/** The same as a promise, which rejects with what was thrown. */
export function promisedEnd(begin: (ending: Ending) => void): Promise<void> {
  return new Promise((resolve, reject) =>
    begin({
      over(thrown) {
        if (thrown === null) resolve();
        else reject(toFault(thrown));
      },
    }),
  );
}

/** Tells it of a promise's end. */
export function tellEnd(ending: Ending, over: Promise<unknown>): void {
  over.then(
    () => ending.over(null),
    (error: unknown) => ending.over(error),
  );
}

/** The same call, whose caller is answered by way of this reply. */
export function answeredBy<Dialect>(reply: ChatReply, call: RawCall<Dialect>): RawCall<Dialect> {
  return changed(call, { reply });
}

const NO_BODY = Buffer.alloc(0);

type Changes<Dialect> = Partial<
  Pick<RawCall<Dialect>, "reply" | "dialect" | "body" | "conversation">
>;

/** One by one: an endpoint's own call may have its parts in another way than as properties. */
export function changed<Dialect>(
  call: RawCall<Dialect>,
  changes: Changes<Dialect>,
): RawCall<Dialect> {
  const { conversation } = call;
  const whole = {
    dialect: call.dialect,
    requestId: call.requestId,
    startedAt: call.startedAt,
    startedMs: call.startedMs,
    key: call.key,
    ip: call.ip,
    body: call.body,
    ...(call.incoming === undefined ? {} : { incoming: call.incoming }),
    idempotencyKey: call.idempotencyKey,
    forward: call.forward,
    query: call.query,
    reply: call.reply,
    trace: call.trace,
    ...(conversation === undefined ? {} : { conversation }),
    ...changes,
    dropBody() {
      call.dropBody?.();
      whole.body = NO_BODY;
    },
  };
  return whole;
}
