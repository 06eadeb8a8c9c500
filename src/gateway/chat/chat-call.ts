/** One chat request as a door hands it over, and the reply side that the gateway drives. */
import type { Uuid } from "../../kernel/ids.ts";
import type { KeyRecord } from "../../keys/key-record.ts";
import type { ChatTrace } from "./chat-trace.ts";

/** The client's side of one exchange. The door implements it over its transport; the gateway never sees sockets. */
export interface ChatReply {
  /** The client went away before the reply ended. */
  readonly gone: boolean;
  /** Called once, at once when the client is gone already. */
  onGone(listener: () => void): void;
  /** One whole answer in one write. */
  json(status: number, headers: Readonly<Record<string, string>>, body: Buffer): void;
  /** Commits status 200 and the stream headers; a second call does nothing. */
  startStream(): void;
  readonly streamStarted: boolean;
  /** Returns false when the client reads slower than the upstream writes; `onDrain` tells when to go on. */
  write(bytes: Buffer): boolean;
  onDrain(listener: () => void): void;
  /** Ends the stream properly. */
  end(lastBytes: Buffer | null): void;
  /** Writes the bytes, then breaks the connection, so that the client cannot take the answer for a whole one. */
  breakOff(lastBytes: Buffer | null): void;
}

export interface ChatCall {
  readonly requestId: Uuid;
  readonly startedAt: Date;
  readonly startedMs: number;
  readonly key: KeyRecord;
  /** The caller's address, for the key's allow-list. */
  readonly ip: string;
  readonly body: Buffer;
  readonly reply: ChatReply;
  /** Begun and ended by the door. */
  readonly trace: ChatTrace;
}
