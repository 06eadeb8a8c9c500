/**
 * Reads the URL of a media file, and names what was sent in its place: bytes, a file of the
 * sender's own machine, a data URL, base64.
 */
import { addressMistake, valueMistake } from "./say-mistake.ts";
import type { AddressMistakes, TaskMistake } from "./task-mistake.ts";

/**
 * The rules about URLs live with the fetch; the caller hands them in. `rule` becomes the mistake's
 * code: `blob_url`, `data_url`, …
 */
export type CheckUrl = (
  text: string,
) =>
  | { readonly ok: true }
  | { readonly ok: false; readonly rule: keyof AddressMistakes; readonly message: string };

export interface Reading {
  readonly checkUrl: CheckUrl;
  /** False: there are too many already, and nothing more needs to be looked for. */
  readonly report: (mistake: TaskMistake) => boolean;
}

/** Undefined after a mistake was reported. */
export function readMediaUrl(
  value: unknown,
  param: string,
  { checkUrl, report }: Reading,
): string | undefined {
  if (isBytes(value)) {
    reportBytes(param, report);
    return undefined;
  }
  if (typeof value !== "string") {
    report(valueMistake(param, "expected", { what: Array.isArray(value) ? "one_url" : "url" }));
    return undefined;
  }
  const verdict = checkUrl(value);
  if (verdict.ok) return value;
  report(addressMistake(param, verdict.rule, verdict.message));
  return undefined;
}

/**
 * For a list of URLs, of which one stands there alone or as bytes: the named refusal says more than
 * "not a list" does.
 */
export function reportNoList(value: unknown, param: string, { checkUrl, report }: Reading): void {
  if (isBytes(value)) return reportBytes(param, report);
  report(valueMistake(param, "expected", { what: "urls" }));
  const verdict = typeof value === "string" ? checkUrl(value) : null;
  if (verdict?.ok === false) report(addressMistake(param, verdict.rule, verdict.message));
}

function reportBytes(param: string, report: Reading["report"]): void {
  report(
    addressMistake(
      param,
      "raw_bytes",
      "Raw bytes are not accepted. Upload the file and send the URL that the upload returns.",
    ),
  );
}

/**
 * Bytes as JSON has them: a list of numbers, what a Node Buffer or a typed array becomes, or a text
 * of control characters and of characters that stand for undecodable bytes.
 */
function isBytes(value: unknown): boolean {
  if (typeof value === "string")
    return !/^https?:/i.test(value) && /\ufffd|(?!\s)\p{Cc}/u.test(value.slice(0, 256));
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value))
    return value.length > 0 && value.slice(0, 16).every((item) => typeof item === "number");
  if (
    Object.hasOwn(value, "type") &&
    Object.hasOwn(value, "data") &&
    (value as { type: unknown }).type === "Buffer"
  )
    return true;
  return Object.hasOwn(value, "0") && typeof (value as Record<string, unknown>)["0"] === "number";
}
