/**
 * The lines of the log as a collector is told them: the words of the program, and of the fields a
 * closed list; no message of an error, no path, no address, no name that a person chose.
 */
import { redactKeySecrets } from "../kernel/secrets.ts";
import { hears, type Log, type LogLevel } from "./log.ts";

export interface ExportedLine {
  readonly atMs: number;
  readonly level: keyof Log;
  readonly text: string;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
}

/** OpenTelemetry's names of the fields of a request's line; what is not here stays in the log. */
const OF_REQUEST: ReadonlyMap<string, string> = new Map([
  ["requestId", "tollgate.request_id"],
  ["replayOf", "tollgate.replay_of"],
  ["method", "http.request.method"],
  ["route", "http.route"],
  ["status", "http.response.status_code"],
  ["ms", "tollgate.duration_ms"],
  ["firstContentMs", "tollgate.first_content_ms"],
  ["key", "tollgate.key"],
  ["accountId", "tollgate.account_id"],
  ["memberId", "tollgate.member_id"],
  ["code", "error.type"],
  ["aborted", "tollgate.aborted"],
  ["retryCount", "tollgate.retry_count"],
  ["model", "tollgate.model"],
  ["upstream", "tollgate.upstream"],
  ["stream", "tollgate.stream"],
  ["state", "tollgate.state"],
  ["attempts", "tollgate.attempts"],
  ["inputTokens", "gen_ai.usage.input_tokens"],
  ["outputTokens", "gen_ai.usage.output_tokens"],
  ["usageSource", "tollgate.usage_source"],
  ["charged", "tollgate.charged_roubles"],
]);
/** Of other lines: ids, counts and words of closed lists. */
const OF_OTHERS: ReadonlyMap<string, string> = new Map([
  ["requestId", "tollgate.request_id"],
  ["accountId", "tollgate.account_id"],
  ["taskId", "tollgate.task_id"],
  ["batchId", "tollgate.batch_id"],
  ["paymentId", "tollgate.payment_id"],
  ["parkedId", "tollgate.parked_id"],
  ["upstream", "tollgate.upstream"],
  ["model", "tollgate.model"],
  ["kind", "tollgate.kind"],
  ["state", "tollgate.state"],
  ["status", "http.response.status_code"],
  ["failures", "tollgate.failures"],
  ["mismatches", "tollgate.mismatches"],
  ["times", "tollgate.times"],
  ["version", "tollgate.catalogue_version"],
  ["active", "tollgate.active"],
  ["uploads", "tollgate.uploads"],
]);
/** What requests say at their end (http/request-log.ts). */
const REQUEST = "request";

/**
 * The same log; each line that is written at this level of the log is handed to `onLine` as well.
 */
export function exportLines(log: Log, level: string, onLine: (line: ExportedLine) => void): Log {
  function both(name: keyof Log): LogLevel {
    const write = log[name];
    if (!hears(level, name)) return write;
    return (first: object | string, message?: string, further?: object) => {
      const text = typeof first === "string" ? first : (message ?? "");
      if (typeof first === "string") write(first);
      else write(first, text, further);
      onLine({
        atMs: Date.now(),
        level: name,
        text: redactKeySecrets(text),
        attributes: typeof first === "string" ? {} : attributesOf(text, first, further),
      });
    };
  }

  return {
    fatal: both("fatal"),
    error: both("error"),
    warn: both("warn"),
    info: both("info"),
    debug: both("debug"),
  };
}

function attributesOf(
  text: string,
  fields: object,
  further: object | undefined,
): ExportedLine["attributes"] {
  const names = text === REQUEST ? OF_REQUEST : OF_OTHERS;
  const attributes: Record<string, string | number | boolean> = {};
  const entries: readonly (readonly [string, unknown])[] = [
    ...Object.entries(fields),
    ...Object.entries(further ?? {}),
  ];
  for (const [field, value] of entries) {
    const name = names.get(field);
    if (name === undefined) continue;
    if (typeof value === "string") attributes[name] = redactKeySecrets(value);
    else if (typeof value === "number" || typeof value === "boolean") attributes[name] = value;
  }
  const error = "err" in fields ? fields.err : undefined;
  return error === undefined ? attributes : { ...attributes, ...kindOf(error) };
}

/** What it is, and not what it says: drivers and upstreams quote what they were sent. */
function kindOf(thrown: unknown): ExportedLine["attributes"] {
  if (!(thrown instanceof Error)) return {};
  const code = codeOf(thrown);
  return {
    "exception.type": thrown.name,
    ...(code === null ? {} : { "tollgate.error_code": code }),
  };
}

/** The innermost: what is around it is our own, and says little. */
function codeOf(error: Error): string | null {
  const inner = error.cause instanceof Error ? codeOf(error.cause) : null;
  if (inner !== null) return inner;
  return "code" in error && typeof error.code === "string" ? error.code : null;
}
