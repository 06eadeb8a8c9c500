/** One path of the sandbox and what it takes to serve it. */
import type { IncomingMessage, ServerResponse } from "node:http";

export interface Endpoint {
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "DELETE";
  readonly path: RegExp;
  /** The body that tells a missing key, in the protocol's shape; null: no key is needed. */
  readonly deny: ((req: IncomingMessage) => unknown) | null;
  /** Serves one request and says for the log what happened. */
  readonly serve: (
    req: IncomingMessage,
    res: ServerResponse,
    path: string,
  ) => Promise<string> | string;
}
