/** The one log line and the one count of every request, whichever door answered it: no content, no secret, nothing that a caller can make long. */
import type { Fault } from "../kernel/faults.ts";
import { formatRequestId } from "../kernel/ids.ts";
import type { Uuid } from "../kernel/ids.ts";
import type { Metrics } from "./metrics.ts";

export interface RequestDone {
  readonly requestId: Uuid;
  readonly method: string;
  /** The matched route, `/v1/requests/{id}`, never the path that was sent: paths carry ids, and now and then a secret. */
  readonly route: string | null;
  readonly status: number;
  readonly ms: number;
  readonly key: { readonly mask: string; readonly accountId: Uuid } | null;
  readonly fault: Fault | null;
  /** The client went away before the answer was out. */
  readonly aborted: boolean;
  /** How often the client's SDK had tried this before. */
  readonly retryCount?: number;
  /** What a route adds to its line, e.g. the model and the charge of a chat request. */
  readonly extra?: Readonly<Record<string, string | number | boolean | null>>;
}

/** The part of pino's logger that is used. */
export interface RequestLogger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Asked every few seconds by machines: at the level where one looks for them. */
const QUIET_ROUTES: ReadonlySet<string> = new Set(["/healthz", "/livez", "/readyz", "/metrics"]);

/** The code and the field at fault; not the message, which may quote what the caller sent. */
function faultFields({ code, details }: Fault): object {
  return { code, ...(details.param === undefined ? {} : { param: details.param.slice(0, 100) }) };
}

export function createRequestLog(deps: {
  readonly logger: RequestLogger;
  readonly metrics: Pick<Metrics, "requestDone" | "faulted">;
}): (done: RequestDone) => void {
  return (done) => {
    deps.metrics.requestDone({ method: done.method, route: done.route ?? "none", status: done.status, seconds: done.ms / 1000 });
    if (done.fault !== null) deps.metrics.faulted(done.fault.code);
    const fields = {
      requestId: formatRequestId(done.requestId),
      method: done.method,
      route: done.route,
      status: done.status,
      ms: Math.round(done.ms * 10) / 10,
      ...(done.key === null ? {} : { key: done.key.mask, accountId: done.key.accountId }),
      ...(done.fault === null ? {} : faultFields(done.fault)),
      ...(done.aborted ? { aborted: true } : {}),
      ...(done.retryCount === undefined || done.retryCount === 0 ? {} : { retryCount: done.retryCount }),
      ...done.extra,
    };
    const cause = done.fault?.cause;
    if (done.fault?.code === "internal_error") deps.logger.error({ ...fields, err: cause ?? done.fault }, "request");
    else if (done.status >= 500) deps.logger.warn(cause === undefined ? fields : { ...fields, err: cause }, "request");
    else if (done.route !== null && QUIET_ROUTES.has(done.route)) deps.logger.debug(fields, "request");
    else deps.logger.info(fields, "request");
  };
}
