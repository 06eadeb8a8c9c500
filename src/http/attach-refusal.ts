/**
 * What the pages of the playground read beside an error of a public protocol: the same fault as the
 * panel's own errors tell it, with its reason and what that names.
 */
import type { Fault } from "../kernel/faults.ts";
import type { ChatDialect } from "../protocol/chat-dialect.ts";
import type { RenderedError } from "../protocol/rendered-error.ts";
import { renderFault } from "./error-family.ts";

/** A member `refusal` beside those of the protocol. */
export function attachRefusal(
  rendered: RenderedError,
  fault: Fault,
  requestId: string,
): RenderedError {
  const body = JSON.parse(rendered.body) as Record<string, unknown>;
  return { ...rendered, body: JSON.stringify({ ...body, ...refusalOf(fault, requestId) }) };
}

/** An event of its own before the one that ends a broken stream. */
export function withRefusalEvents(dialect: ChatDialect): ChatDialect {
  return {
    ...dialect,
    errorEvent(fault, requestId, writer) {
      const refusal = `event: refusal\ndata: ${JSON.stringify(refusalOf(fault, requestId))}\n\n`;
      return Buffer.concat([Buffer.from(refusal), dialect.errorEvent(fault, requestId, writer)]);
    },
  };
}

function refusalOf(fault: Fault, requestId: string): { readonly refusal: unknown } {
  const { body } = renderFault("panel", fault, requestId);
  return { refusal: (JSON.parse(body) as { readonly error: unknown }).error };
}
