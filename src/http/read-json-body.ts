/** Reads the JSON object that a routed request carries, within the size, depth and time that every body has. */
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { Fault } from "../kernel/faults.ts";
import { BODY_DEADLINE_MS, JSON_BODY_LIMIT_BYTES } from "../kernel/limits.ts";
import { readJsonObject } from "../protocol/json/read-json-object.ts";
import { readBody } from "./chat-body.ts";

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;
const NOTHING_GUARDED: readonly string[] = [];

/**
 * Faults: `unsupported_media_type` for a body that does not say it is JSON (forms and plain text are what a browser sends across
 * origins without asking), and those of readBody and readJsonObject.
 */
export async function readJsonBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  checkJsonType(request.headers);
  const bytes = await readBody(request, JSON_BODY_LIMIT_BYTES, BODY_DEADLINE_MS);
  const reading = readJsonObject(bytes, NOTHING_GUARDED);
  if (!reading.ok) throw reading.fault;
  return reading.object.value;
}

/** For routes that read the bytes of their body themselves. Throws Fault("unsupported_media_type"). */
export function checkJsonType(headers: IncomingHttpHeaders): void {
  if (!JSON_TYPE.test(headers["content-type"] ?? "")) throw new Fault("unsupported_media_type");
}
