/** One call as its endpoint hands it over. */
import type { AskedCall, CallProtocol } from "../../protocol/calls/call-protocol.ts";
import type { RawCall } from "../chat/chat-call.ts";

/** Where a call comes in. */
export interface CallDialect {
  readonly protocol: CallProtocol;
  /** Nothing of a caller's head is passed on. */
  readonly forwarded: { readonly headers: readonly string[]; readonly query: readonly string[] };
  readonly keepAlive: Buffer;
  /** Reads its body, whichever form that has; throws, or rejects with, a Fault. */
  read(call: RawCall<CallDialect>): AskedCall | Promise<AskedCall>;
}

export type CallRequest = RawCall<CallDialect>;
