/**
 * The one log line and the one count of every request, whichever endpoint answered it: no content,
 * no secret, nothing that a caller can make long.
 */
import type { Fault } from "../kernel/faults.ts";
import { formatRequestId } from "../kernel/ids.ts";
import type { Uuid } from "../kernel/ids.ts";
import type { Metrics } from "./metrics.ts";

export interface RequestDone {
  readonly requestId: Uuid;
  readonly method: string;
  /**
   * The matched route, `/v1/requests/{id}`, never the path that was sent: paths carry ids, and now
   * and then a secret.
   */
  readonly route: string | null;
  readonly status: number;
  readonly ms: number;
  readonly key: { readonly mask: string; readonly accountId: Uuid } | null;
  /** Of a session of the panel. */
  readonly member?: { readonly memberId: Uuid; readonly accountId: Uuid } | null;
  readonly fault: Fault | null;
  /** The client went away before the answer was out. */
  readonly aborted: boolean;
  /** How often the client's SDK had tried this before. */
  readonly retryCount?: number;
  /** What a route adds to its line, e.g. the model and the charge of a chat request. */
  readonly extra?: LogExtra;
}

/** What is undefined is not in the line. */
export type LogExtra = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** The part of the program's log that is used. */
export interface RequestLogger {
  debug(fields: object, message: string, further?: object): void;
  info(fields: object, message: string, further?: object): void;
  warn(fields: object, message: string, further?: object): void;
  error(fields: object, message: string, further?: object): void;
}

/** Asked every few seconds by machines: at the level where one looks for them. */
const QUIET_ROUTES: ReadonlySet<string> = new Set(["/healthz", "/livez", "/readyz", "/metrics"]);

export function createRequestLog(deps: {
  readonly logger: RequestLogger;
  readonly metrics: Pick<Metrics, "requestDone" | "faulted">;
}): (done: RequestDone) => void {
  const { logger, metrics } = deps;
  return (done) => {
    const { fault, route, status, extra } = done;
    metrics.requestDone({
      method: done.method,
      route: route ?? "none",
      status,
      seconds: done.ms / 1000,
    });
    if (fault !== null) metrics.faulted(fault.code);
    const fields = fieldsOf(done);
    if (fault?.code === "internal_error") logger.error(fields, "request", extra);
    else if (status >= 500) logger.warn(fields, "request", extra);
    else if (route !== null && QUIET_ROUTES.has(route)) logger.debug(fields, "request", extra);
    else logger.info(fields, "request", extra);
  };
}

/**
 * Every line is made in the same order and shape; what is undefined is left out when it is written.
 */
function fieldsOf(done: RequestDone): object {
  const { key, member, fault } = done;
  // Of a deleted, frozen or expired key: whose clients have to be told is asked of the log.
  const refused = fault?.details.refusedKey;
  return {
    requestId: formatRequestId(done.requestId),
    method: done.method,
    route: done.route,
    status: done.status,
    ms: Math.round(done.ms * 10) / 10,
    key: (key ?? refused)?.mask,
    memberId: member?.memberId,
    accountId: (key ?? refused ?? member)?.accountId,
    // The code and the field at fault; not the message, which may quote what the caller sent.
    code: fault?.code,
    param: fault?.details.param?.slice(0, 100),
    aborted: done.aborted ? true : undefined,
    retryCount: done.retryCount === 0 ? undefined : done.retryCount,
    err: fault === null ? undefined : thrownOf(fault, done.status),
  };
}

/** What the operator may have to look at; undefined for what is its caller's affair. */
function thrownOf(fault: Fault, status: number): unknown {
  if (fault.code === "internal_error") return fault.cause ?? fault;
  return status >= 500 ? fault.cause : undefined;
}
