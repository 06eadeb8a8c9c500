/**
 * A raw HTTP client of POST /v1/chat/completions and /v1/messages: keeps every byte, tells a proper
 * end from a broken one, and can walk away at any point.
 */
import { request } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";

export interface ChatHead {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Of the x-request-id header. */
  readonly requestId: string;
}

export interface ChatAnswer extends ChatHead {
  readonly body: Buffer;
  /** The connection ended before HTTP says that the answer was complete. */
  readonly broken: boolean;
}

export interface ChatExchange {
  /** Rejects when the connection ends without an answer. */
  readonly head: Promise<ChatHead>;
  /**
   * Rejects when the connection ends without an answer; an answer that breaks off resolves,
   * `broken`.
   */
  readonly answer: Promise<ChatAnswer>;
  /** Resolves when the body so far has this text so often; rejects when the answer ends before. */
  seen(text: string, times?: number): Promise<void>;
  /** The body so far. */
  received(): string;
  /** Stops reading the answer, so that what follows fills every buffer on the way. */
  pause(): void;
  resume(): void;
  /** Closes the connection at once. */
  leave(): void;
}

/** `body` is sent as it is where it is text or bytes, else as JSON. */
export function postChat(
  url: string,
  secret: string,
  body: unknown,
  path = "/v1/chat/completions",
  headers: Readonly<Record<string, string>> = {},
): ChatExchange {
  const bytes =
    typeof body === "string" || Buffer.isBuffer(body)
      ? Buffer.from(body)
      : Buffer.from(JSON.stringify(body));
  const head = Promise.withResolvers<ChatHead>();
  const answer = Promise.withResolvers<ChatAnswer>();
  const waits = new Set<{
    readonly text: string;
    readonly times: number;
    readonly seen: PromiseWithResolvers<void>;
  }>();
  const parts: Buffer[] = [];
  let incoming: IncomingMessage | null = null;
  // A test that awaits only one of them must not die of the other.
  head.promise.catch(() => undefined);
  answer.promise.catch(() => undefined);

  function fail(error: Error): void {
    head.reject(error);
    answer.reject(error);
  }
  function checkWaits(over: boolean): void {
    const soFar = Buffer.concat(parts).toString();
    for (const wait of waits) {
      if (soFar.split(wait.text).length > wait.times) wait.seen.resolve();
      else if (over)
        wait.seen.reject(new Error(`the answer ended without "${wait.text}": ${soFar}`));
      else continue;
      waits.delete(wait);
    }
  }

  const outgoing = request(`${url}${path}`, {
    method: "POST",
    agent: false,
    headers: {
      authorization: `Bearer ${secret}`,
      "content-type": "application/json",
      "content-length": bytes.length,
      ...headers,
    },
  });
  outgoing.on("error", fail);
  outgoing.on("response", (response) => {
    incoming = response;
    const started = {
      status: response.statusCode ?? 0,
      headers: response.headers,
      requestId: String(response.headers["x-request-id"]),
    };
    head.resolve(started);
    response.on("data", (part: Buffer) => {
      parts.push(part);
      if (waits.size > 0) checkWaits(false);
    });
    response.on("error", () => undefined);
    response.on("close", () => {
      checkWaits(true);
      answer.resolve({ ...started, body: Buffer.concat(parts), broken: !response.complete });
    });
  });
  outgoing.end(bytes);

  return {
    head: head.promise,
    answer: answer.promise,
    seen(text, times = 1) {
      const wait = { text, times, seen: Promise.withResolvers<void>() };
      waits.add(wait);
      checkWaits(false);
      return wait.seen.promise;
    },
    received: () => Buffer.concat(parts).toString(),
    pause: () => void incoming?.pause(),
    resume: () => void incoming?.resume(),
    leave: () => outgoing.destroy(),
  };
}
