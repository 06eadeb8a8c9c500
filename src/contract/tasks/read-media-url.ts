/** Reads the URL of a media file, and names what was sent in its place: bytes, a file of the sender's own machine, a data URL, base64. */
import type { TaskMistake } from "./task-table.ts";

/** The rules about URLs live with the fetch; the caller hands them in. `rule` becomes the mistake's code: `blob_url`, `data_url`, … */
export type CheckUrl = (text: string) => { readonly ok: true } | { readonly ok: false; readonly rule: string; readonly message: string };

export interface Reading {
  readonly checkUrl: CheckUrl;
  /** False: there are too many already, and nothing more needs to be looked for. */
  readonly report: (mistake: TaskMistake) => boolean;
}

/** Undefined after a mistake was reported. */
export function readMediaUrl(value: unknown, param: string, { checkUrl, report }: Reading): string | undefined {
  if (isBytes(value)) {
    reportBytes(param, report);
    return undefined;
  }
  if (typeof value !== "string") {
    const wanted = Array.isArray(value) ? "must be one URL, not a list" : "must be a URL, as a string";
    report({ param, code: "type", message: `'${param}' ${wanted}.` });
    return undefined;
  }
  const verdict = checkUrl(value);
  if (verdict.ok) return value;
  report({ param, code: verdict.rule, message: `'${param}': ${verdict.message}` });
  return undefined;
}

/** For a list of URLs, of which one stands there alone or as bytes: the named refusal says more than "not a list" does. */
export function reportNoList(value: unknown, param: string, { checkUrl, report }: Reading): void {
  if (isBytes(value)) return reportBytes(param, report);
  report({ param, code: "type", message: `'${param}' must be a list of URLs, such as ["https://…"].` });
  const verdict = typeof value === "string" ? checkUrl(value) : null;
  if (verdict?.ok === false) report({ param, code: verdict.rule, message: `'${param}': ${verdict.message}` });
}

function reportBytes(param: string, report: Reading["report"]): void {
  const message = `'${param}': Raw bytes are not accepted. Upload the file and send the URL that the upload returns.`;
  report({ param, code: "raw_bytes", message });
}

/**
 * Bytes as JSON has them: a list of numbers, what a Node Buffer or a typed array becomes, or a text of control characters and of
 * characters that stand for undecodable bytes.
 */
function isBytes(value: unknown): boolean {
  if (typeof value === "string") return !/^https?:/i.test(value) && /\ufffd|(?!\s)\p{Cc}/u.test(value.slice(0, 256));
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.length > 0 && value.slice(0, 16).every((item) => typeof item === "number");
  if (Object.hasOwn(value, "type") && Object.hasOwn(value, "data") && (value as { type: unknown }).type === "Buffer") return true;
  return Object.hasOwn(value, "0") && typeof (value as Record<string, unknown>)["0"] === "number";
}
