/**
 * What is known about one HTTP exchange while it runs: given a name when it arrives, filled in as
 * it is understood, logged when it is over.
 */
import type { IncomingMessage } from "node:http";
import type { MemberCaller } from "../accounts/member-caller.ts";
import type { Fault } from "../kernel/faults.ts";
import type { Uuid } from "../kernel/ids.ts";
import type { KeyRecord } from "../keys/key-record.ts";
import type { ErrorFamily } from "./error-family.ts";
import type { SocketRefusal } from "./refuse-socket.ts";

export interface Exchange {
  readonly requestId: Uuid;
  /** The same id as the outside sees it: `req_…`. */
  readonly publicId: string;
  family: ErrorFamily;
  readonly startedMs: number;
  /** The matched route's path as OpenAPI writes it; null while nothing matched. */
  route: string | null;
  key: KeyRecord | null;
  /** Of a session of the panel. */
  member: MemberCaller | null;
  fault: Fault | null;
  /** What was written on its bare connection instead of an answer, because its body broke. */
  refusal: SocketRefusal | null;
  /** The sender waits to be told to send its body (`Expect: 100-continue`). */
  awaitsContinue: boolean;
  /**
   * A body that its sender has the right to send, and that may take long: it is given time to read
   * a refusal.
   */
  longBody: boolean;
}

/** Ties an exchange to Node's request object without writing on it. */
export type Exchanges = WeakMap<IncomingMessage, Exchange>;
