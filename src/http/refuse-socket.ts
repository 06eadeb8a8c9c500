/**
 * Answers for connections on which no request could be read: the bytes of an HTTP answer, written
 * on the bare socket, which is then closed.
 */
import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { Fault } from "../kernel/faults.ts";
import { formatRequestId } from "../kernel/ids.ts";
import type { Uuid } from "../kernel/ids.ts";
import { renderFault, type ErrorFamily } from "./error-family.ts";

/** A peer may go on sending for this long, so that it gets to read why it is not heard. */
const LINGER_MS = 2_000;

/**
 * What Node's parser and timers complain about, by their code; everything else is a broken request.
 */
function describe(code: string | undefined): SocketRefusal {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return {
        status: 431,
        fault: new Fault("invalid_request", { message: "The request headers are too large." }),
      };
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return {
        status: 413,
        fault: new Fault("request_too_large", { message: "The chunk extensions are too large." }),
      };
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return {
        status: 408,
        fault: new Fault("request_timeout", { message: "The request did not arrive in time." }),
      };
    case "HPE_INVALID_EOF_STATE":
      return {
        status: 400,
        fault: new Fault("invalid_request", {
          message: "The connection ended before the request was complete.",
        }),
      };
    default:
      return {
        status: 400,
        fault: new Fault("invalid_request", { message: "This is not a valid HTTP request." }),
      };
  }
}

export interface SocketRefusal {
  readonly status: number;
  readonly fault: Fault;
}

/** Returns what was answered, or null when the peer was gone already. */
export function refuseBrokenRequest(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  requestId: Uuid,
  family: ErrorFamily,
): SocketRefusal | null {
  if (!socket.writable || error.code === "ECONNRESET") {
    socket.destroy();
    return null;
  }
  const refusal = describe(error.code);
  writeAndClose(socket, refusal, requestId, family);
  return refusal;
}

/** We are no proxy. */
export function refuseConnect(socket: Duplex, requestId: Uuid): SocketRefusal {
  socket.on("error", () => undefined);
  const refusal = {
    status: 405,
    fault: new Fault("method_not_allowed", {
      message: "CONNECT is not taken: this is not a proxy.",
    }),
  };
  writeAndClose(socket, refusal, requestId, "openai");
  return refusal;
}

function writeAndClose(
  socket: Duplex,
  { status, fault }: SocketRefusal,
  requestId: Uuid,
  family: ErrorFamily,
): void {
  const id = formatRequestId(requestId);
  const { headers, body } = renderFault(family, fault, id);
  const lines = Object.entries({
    ...headers,
    "x-request-id": id,
    "request-id": id,
    // RFC 9110 §6.6.1 wants it of every server that has a clock.
    date: new Date().toUTCString(),
    "content-length": String(Buffer.byteLength(body)),
    connection: "close",
  });
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n${body}`,
  );
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once("close", () => clearTimeout(timer));
}
