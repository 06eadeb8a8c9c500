/** Why what was quoted would be refused, as its refusal would say it. */
import type { Fault, FaultCode, FaultParams } from "../../kernel/faults.ts";

export interface QuotedRefusal {
  readonly code: FaultCode;
  readonly message: string;
  /** For pages; public quotes leave it out. */
  readonly reason: string | null;
  readonly params: FaultParams;
}

export function quotedRefusal({ code, message, details }: Fault): QuotedRefusal {
  const { reason = null, params = {} } = details;
  return { code, message, reason, params };
}
