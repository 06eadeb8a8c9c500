/** What the panel's API refused, or that it could not be reached. */
import type { PanelErrorBody } from "../../../src/contract/panel/panel-error.ts";

export class ApiError extends Error {
  /** Of HTTP; 0 where there was no answer. */
  readonly status: number;
  /** Of `src/kernel/faults.ts`; `network` where there was no answer. */
  readonly code: string;
  /** Of `src/contract/panel/panel-refusal.ts`, where the API says it. */
  readonly reason: string | null;
  /** What a sentence about it names. */
  readonly params: PanelErrorBody["error"]["params"];
  readonly errors: PanelErrorBody["error"]["errors"];
  readonly retryAfterSeconds: number | null;
  readonly requestId: string | null;

  constructor(
    status: number,
    about: Omit<PanelErrorBody["error"], "requestId"> & { readonly requestId: string | null },
  ) {
    super(about.message);
    this.name = "ApiError";
    this.status = status;
    this.code = about.code;
    this.reason = about.reason;
    this.params = about.params;
    this.errors = about.errors;
    this.retryAfterSeconds = about.retryAfterSeconds;
    this.requestId = about.requestId;
  }
}

/** Out of an answer that refuses. `body`: as it was read; null where it was no JSON. */
export function readRefusal(status: number, body: unknown, requestId: string | null): ApiError {
  const sent = (body as Partial<PanelErrorBody> | null)?.error;
  return new ApiError(status, {
    code: sent?.code ?? "internal_error",
    reason: sent?.reason ?? null,
    message: sent?.message ?? `HTTP ${status}`,
    params: sent?.params ?? {},
    errors: sent?.errors ?? [],
    retryAfterSeconds: sent?.retryAfterSeconds ?? null,
    requestId: sent?.requestId ?? requestId,
  });
}

/** There was no answer. */
export function unreachable(): ApiError {
  return new ApiError(0, {
    code: "network",
    reason: null,
    message: "The server does not answer.",
    params: {},
    errors: [],
    retryAfterSeconds: null,
    requestId: null,
  });
}
