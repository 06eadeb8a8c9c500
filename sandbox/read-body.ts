/** Reads a JSON request body within a limit. */
import type { IncomingMessage } from "node:http";
import { isObject, type JsonObject } from "./is-object.ts";

const LIMIT_BYTES = 64 * 1024 * 1024;

export type Body =
  | { readonly kind: "json"; readonly bytes: Buffer; readonly value: JsonObject }
  | { readonly kind: "not-json" }
  | { readonly kind: "too-large" }
  | { readonly kind: "gone" };

export async function readBody(req: IncomingMessage): Promise<Body> {
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of req as AsyncIterable<Buffer>) {
      size += part.length;
      if (size > LIMIT_BYTES) return { kind: "too-large" };
      parts.push(part);
    }
  } catch {
    return { kind: "gone" };
  }
  const bytes = Buffer.concat(parts);
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    return isObject(value) ? { kind: "json", bytes, value } : { kind: "not-json" };
  } catch {
    return { kind: "not-json" };
  }
}
