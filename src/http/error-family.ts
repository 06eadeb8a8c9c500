/** Which protocol's errors a path speaks (contract §4), and the fault written in it. */
import type { IncomingHttpHeaders } from "node:http";
import { Fault } from "../kernel/faults.ts";
import { redactKeySecrets } from "../kernel/secrets.ts";
import { renderAnthropicError } from "../protocol/anthropic/render-error.ts";
import { renderOpenAiError } from "../protocol/openai/render-error.ts";
import type { RenderedError } from "../protocol/rendered-error.ts";
import { renderTaskError } from "../protocol/tasks/render-error.ts";

export type ErrorFamily = "openai" | "anthropic" | "tasks";

/** `path` is that of a RequestTarget. The models list serves two protocols; the caller's `anthropic-version` header tells which. */
export function errorFamily(path: string, headers: IncomingHttpHeaders): ErrorFamily {
  if (isUnder(path, "/v1/messages")) return "anthropic";
  if (isUnder(path, "/v1/tasks") || isUnder(path, "/v1/storage")) return "tasks";
  return isUnder(path, "/v1/models") && headers["anthropic-version"] !== undefined ? "anthropic" : "openai";
}

function isUnder(path: string, root: string): boolean {
  return path === root || path.startsWith(`${root}/`);
}

/** `requestId` is the public form, `req_…`. A key secret that was sent in the wrong place (a path, a model name) is masked in the message. */
export function renderFault(family: ErrorFamily, fault: Fault, requestId: string): RenderedError {
  const shown = withoutSecrets(fault);
  switch (family) {
    case "openai":
      return renderOpenAiError(shown);
    case "anthropic":
      return renderAnthropicError(shown, requestId);
    case "tasks":
      return renderTaskError(shown, requestId);
  }
}

function withoutSecrets(fault: Fault): Fault {
  const { message, details } = fault;
  const texts = [message, details.param ?? "", ...(details.errors ?? []).flatMap((error) => [error.param, error.message])];
  if (texts.every((text) => redactKeySecrets(text) === text)) return fault;
  return new Fault(fault.code, {
    ...details,
    message: redactKeySecrets(message),
    ...(details.param === undefined ? {} : { param: redactKeySecrets(details.param) }),
    ...(details.errors === undefined
      ? {}
      : {
          errors: details.errors.map((error) => ({
            ...error,
            param: redactKeySecrets(error.param),
            message: redactKeySecrets(error.message),
          })),
        }),
  });
}
