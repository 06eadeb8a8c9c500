/** One call as its endpoint hands it over. */
import type { UpstreamConfig } from "../../catalogue/catalogue.ts";
import type {
  AskedCall,
  CallProtocol,
  UpstreamAnswer,
} from "../../protocol/calls/call-protocol.ts";
import type { RawCall } from "../chat/chat-call.ts";

/** Where a call comes in. */
export interface CallDialect {
  readonly protocol: CallProtocol;
  /** Nothing of a caller's head is passed on. */
  readonly forwarded: { readonly headers: readonly string[]; readonly query: readonly string[] };
  readonly keepAlive: Buffer;
  /** Reads its body, whichever form that has; throws, or rejects with, a Fault. */
  read(call: RawCall<CallDialect>): AskedCall | Promise<AskedCall>;
  /**
   * Makes of a whole answer what its caller gets, before it is paid for; absent: it is that already.
   * Rejects with a Fault for an answer of which nothing can be made, and with the signal's reason
   * when it is not wanted any more: then nothing is charged.
   */
  complete?(
    answer: UpstreamAnswer,
    by: { readonly upstream: UpstreamConfig; readonly signal: AbortSignal },
  ): Promise<UpstreamAnswer>;
}

export type CallRequest = RawCall<CallDialect>;
