/** Which protocol's errors a path speaks (contract §4), and the fault written in it. */
import type { IncomingHttpHeaders } from "node:http";
import { Fault, type FaultParams } from "../kernel/faults.ts";
import { redactKeySecrets } from "../kernel/secrets.ts";
import { renderAnthropicError } from "../protocol/anthropic/render-error.ts";
import { renderOpenAiError } from "../protocol/openai/render-error.ts";
import type { RenderedError } from "../protocol/rendered-error.ts";
import { renderPanelError } from "../protocol/panel/render-error.ts";
import { renderTaskError } from "../protocol/tasks/render-error.ts";
import { rateLimitHeaders } from "./rate-limit-headers.ts";

export type ErrorFamily = "openai" | "anthropic" | "tasks" | "panel";

const FAMILIES: readonly (readonly [root: string, family: ErrorFamily])[] = [
  ["/v1/messages", "anthropic"],
  ["/v1/quote/messages", "anthropic"],
  ["/v1/tasks", "tasks"],
  ["/v1/quote/tasks", "tasks"],
  ["/v1/storage", "tasks"],
  ["/panel/api", "panel"],
];

/**
 * `path` is that of a RequestTarget. A quote speaks as the endpoint that it is for. The models list
 * serves two protocols; the caller's `anthropic-version` header tells which.
 */
export function errorFamily(path: string, headers: IncomingHttpHeaders): ErrorFamily {
  const family = FAMILIES.find(([root]) => isUnder(path, root))?.[1];
  if (family !== undefined) return family;
  return isUnder(path, "/v1/models") && headers["anthropic-version"] !== undefined
    ? "anthropic"
    : "openai";
}

function isUnder(path: string, root: string): boolean {
  return path === root || path.startsWith(`${root}/`);
}

/**
 * `requestId` is the public form, `req_…`. A key secret that was sent in the wrong place (a path, a
 * model name) is masked in the message.
 */
export function renderFault(family: ErrorFamily, fault: Fault, requestId: string): RenderedError {
  const rendered = renderBody(family, withoutSecrets(fault), requestId);
  const { standing } = fault.details;
  if (standing === undefined) return rendered;
  return {
    ...rendered,
    headers: { ...rendered.headers, ...rateLimitHeaders(family, standing, true) },
  };
}

function renderBody(family: ErrorFamily, shown: Fault, requestId: string): RenderedError {
  switch (family) {
    case "openai":
      return renderOpenAiError(shown);
    case "anthropic":
      return renderAnthropicError(shown, requestId);
    case "tasks":
      return renderTaskError(shown, requestId);
    case "panel":
      return renderPanelError(shown, requestId);
  }
}

function withoutSecrets(fault: Fault): Fault {
  const { message, details } = fault;
  const paramsOf = (params: FaultParams = {}): string[] => Object.values(params).flat().map(String);
  const texts = [
    message,
    details.param ?? "",
    ...paramsOf(details.params),
    ...(details.errors ?? []).flatMap((error) => [
      error.param,
      error.message,
      ...paramsOf(error.params),
    ]),
  ];
  if (texts.every((text) => redactKeySecrets(text) === text)) return fault;
  return new Fault(fault.code, {
    ...details,
    message: redactKeySecrets(message),
    ...(details.param === undefined ? {} : { param: redactKeySecrets(details.param) }),
    ...(details.params === undefined ? {} : { params: redactParams(details.params) }),
    ...(details.errors === undefined
      ? {}
      : {
          errors: details.errors.map((error) => ({
            ...error,
            param: redactKeySecrets(error.param),
            message: redactKeySecrets(error.message),
            ...(error.params === undefined ? {} : { params: redactParams(error.params) }),
          })),
        }),
  });
}

function redactParams(params: FaultParams): FaultParams {
  const redacted = (value: FaultParams[string]): FaultParams[string] => {
    if (typeof value === "number") return value;
    return typeof value === "string" ? redactKeySecrets(value) : value.map(redactKeySecrets);
  };
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, redacted(value)]));
}
