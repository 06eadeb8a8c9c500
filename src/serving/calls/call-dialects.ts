/** Dialects of calls: a protocol with the way in which its body is read. */
import type { CallProtocol, JsonCallProtocol } from "../../protocol/calls/call-protocol.ts";
import type { CallDialect } from "./call-request.ts";

const NOTHING_FORWARDED: CallDialect["forwarded"] = { headers: [], query: [] };
const NO_KEEP_ALIVE = Buffer.alloc(0);

export function createCallDialect(
  protocol: CallProtocol,
  read: CallDialect["read"],
  complete?: CallDialect["complete"],
): CallDialect {
  return {
    protocol,
    forwarded: NOTHING_FORWARDED,
    keepAlive: protocol.streaming?.keepAlive ?? NO_KEEP_ALIVE,
    read,
    ...(complete === undefined ? {} : { complete }),
  };
}

/** Whose requests come whole, as JSON. */
export function jsonDialect(protocol: JsonCallProtocol): CallDialect {
  return createCallDialect(protocol, (call) => protocol.read(call.body));
}
