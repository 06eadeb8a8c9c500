/**
 * Reads the JSON object that a routed request carries, within the size, depth and time that every
 * body has.
 */
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { Fault } from "../kernel/faults.ts";
import { BODY_DEADLINE_MS, JSON_BODY_LIMIT_BYTES } from "../kernel/limits.ts";
import { isRecord } from "../protocol/json/is-record.ts";
import { readJsonObject } from "../protocol/json/read-json-object.ts";
import { readBody } from "./chat-body.ts";

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;
const NOTHING_GUARDED: readonly string[] = [];

/**
 * Faults: `unsupported_media_type` for a body that does not say it is JSON (forms and plain text
 * are what a browser sends across origins without asking), those of readBody and readJsonObject,
 * and `invalid_request` for a text with a NUL in it.
 */
export async function readJsonBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  checkJsonType(request.headers);
  const bytes = await readBody(request, JSON_BODY_LIMIT_BYTES, BODY_DEADLINE_MS);
  const reading = readJsonObject(bytes, NOTHING_GUARDED);
  if (!reading.ok) throw reading.fault;
  refuseNul(reading.object.value, "");
  return reading.object.value;
}

/** In no text that a database could keep or be asked for. */
function refuseNul(value: unknown, param: string): void {
  if (typeof value === "string" && value.includes("\0"))
    throw new Fault("invalid_request", { message: `'${param}' contains a NUL character.`, param });
  if (Array.isArray(value))
    for (const [at, inner] of value.entries()) refuseNul(inner, `${param}[${at}]`);
  else if (isRecord(value))
    for (const [name, inner] of Object.entries(value))
      refuseNul(inner, param === "" ? name : `${param}.${name}`);
}

/**
 * For routes that read the bytes of their body themselves. Throws Fault("unsupported_media_type").
 */
export function checkJsonType(headers: IncomingHttpHeaders): void {
  if (!JSON_TYPE.test(headers["content-type"] ?? "")) throw new Fault("unsupported_media_type");
}
