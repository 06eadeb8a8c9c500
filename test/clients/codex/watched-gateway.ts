/**
 * A proxy before a gateway that passes all bytes on, and keeps what was asked and answered: also of
 * requests that no receipt tells of.
 */
import { once } from "node:events";
import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { until } from "../../support/until.ts";

export interface WatchedCall {
  readonly method: string;
  readonly path: string;
  readonly body: Record<string, unknown>;
  /** 0 until its head is there. */
  readonly status: number;
  readonly requestId: string;
  /** So far. */
  readonly answer: string;
}

export interface WatchedGateway extends AsyncDisposable {
  readonly url: string;
  readonly calls: readonly WatchedCall[];
  /** Waits until an answer has these words. */
  answered(words: string): Promise<WatchedCall>;
}

type Kept = { -readonly [Name in keyof WatchedCall]: WatchedCall[Name] };

async function bodyOf(incoming: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

function parsed(bytes: Buffer): Record<string, unknown> {
  return bytes.length === 0 ? {} : (JSON.parse(bytes.toString()) as Record<string, unknown>);
}

export async function watchGateway(gatewayUrl: string): Promise<WatchedGateway> {
  const calls: Kept[] = [];

  async function pass(incoming: IncomingMessage, reply: ServerResponse): Promise<void> {
    const bytes = await bodyOf(incoming);
    const { method = "", url: path = "", headers } = incoming;
    const call: Kept = {
      method,
      path,
      body: parsed(bytes),
      status: 0,
      requestId: "",
      answer: "",
    };
    calls.push(call);
    const onward = request(gatewayUrl + path, { method, headers, agent: false });
    reply.on("close", () => onward.destroy());
    onward.on("error", () => reply.destroy());
    onward.on("response", (answer) => {
      call.status = answer.statusCode ?? 0;
      call.requestId = String(answer.headers["x-request-id"]);
      reply.writeHead(call.status, answer.headers);
      reply.flushHeaders();
      const decoder = new TextDecoder();
      answer.on("data", (part: Buffer) => {
        call.answer += decoder.decode(part, { stream: true });
      });
      answer.on("error", () => reply.destroy());
      answer.pipe(reply);
    });
    onward.end(bytes);
  }

  const server = createServer((incoming, reply) => {
    pass(incoming, reply).catch(() => reply.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    answered: (words) =>
      until(
        `an answer that says ${words}`,
        async () => calls.find(({ answer }) => answer.includes(words)) ?? null,
      ),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
