/** What all endpoints of batches share: where the sandbox itself answers, and who is let in. */
import type { IncomingMessage } from "node:http";
import type { Endpoint } from "../endpoint.ts";
import { anthropicDialect } from "../anthropic/dialect.ts";
import { openaiDialect } from "../openai/dialect.ts";

export function ownUrl({ socket }: IncomingMessage): string {
  const { localAddress = "127.0.0.1", localPort = 0 } = socket;
  const host = localAddress.includes(":") ? `[${localAddress}]` : localAddress;
  return `http://${host}:${localPort}`;
}

export function serveOn(
  method: Endpoint["method"],
  path: RegExp,
  serve: Endpoint["serve"],
): Endpoint {
  const dialect = path.source.includes("messages") ? anthropicDialect : openaiDialect;
  const deny = (): unknown =>
    dialect.error({ status: 401, message: "sandbox: no valid API key was sent", param: null });
  return { method, path, deny, serve };
}
