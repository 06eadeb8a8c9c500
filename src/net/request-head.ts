/** Writes the head of a request of HTTP/1.1, and refuses what would be read as something else. */
import { errors } from "undici";
import { isHeaderValue } from "../kernel/header-value.ts";
import type { WireRequest } from "./carried.ts";

const PATH = /^\/[\x21-\x7e\x80-\xff]*$/;
const NAME = /^[\w!#$%&'*+.^`|~-]+$/;
/** The connection's own to say. */
const OWN = new Set([
  "host",
  "connection",
  "content-length",
  "transfer-encoding",
  "keep-alive",
  "upgrade",
  "expect",
]);

/** Heads of requests to one origin; each character is a byte. */
export class RequestHeads {
  private readonly host: string;
  private fields: WireRequest["headers"] | null = null;
  private text = "";

  /** As in a URL: with its port, unless that is the usual one. */
  constructor(host: string) {
    this.host = host;
  }

  /** Throws undici's InvalidArgumentError for what cannot be sent. */
  of({ method, path, headers, body }: WireRequest): string {
    if (!PATH.test(path)) throw new errors.InvalidArgumentError("invalid request path");
    const length = body === null ? emptyLengthOf(method) : lengthOf(body);
    return `${method} ${path} HTTP/1.1\r\nhost: ${this.host}\r\nconnection: keep-alive\r\n${this.fieldsOf(headers)}${length}\r\n`;
  }

  /** Requests to one origin mostly carry the same fields, which are then the same object. */
  private fieldsOf(headers: WireRequest["headers"]): string {
    if (headers === this.fields) return this.text;
    let text = "";
    for (const [name, value] of Object.entries(headers)) {
      if (name === "content-length") continue;
      if (OWN.has(name) || !NAME.test(name) || !isHeaderValue(value))
        throw new errors.InvalidArgumentError(`invalid ${name} header`);
      text += `${name}: ${value}\r\n`;
    }
    this.fields = headers;
    this.text = text;
    return text;
  }
}

function lengthOf(body: NonNullable<WireRequest["body"]>): string {
  return `content-length: ${Buffer.isBuffer(body) ? body.length : body.sizeBytes}\r\n`;
}

/** What may have a body and has none says so. */
function emptyLengthOf(method: WireRequest["method"]): string {
  return method === "POST" || method === "PUT" ? "content-length: 0\r\n" : "";
}
