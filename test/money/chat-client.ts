/** A client of chat completions on a connection of its own, that can be watched while its answer arrives. */
import { request, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { parseRequestId, type Uuid } from "../../src/kernel/ids.ts";

export interface ChatAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The answer ended as HTTP says it should; false: it was broken off. */
  readonly complete: boolean;
}

export interface ChatExchange {
  /** The status; null when the connection broke before there was one. */
  readonly answered: Promise<number | null>;
  /** What came until the end, proper or not; null when there was no answer at all. */
  readonly ended: Promise<ChatAnswer | null>;
  /** Id of the request and of its hold; null before there is an answer. */
  readonly requestId: Uuid | null;
  /** What has come so far. */
  readonly text: string;
  /** Resolves when this has come. Rejects when the answer ends without it. */
  seen(part: string): Promise<void>;
  /** Stops reading, so that the sender fills every buffer on the way. */
  pause(): void;
  /** Goes away. */
  leave(): void;
}

/** Sends one request. Never rejects by itself: a gateway that dies is what the tests are about. */
export function openChat(url: string, secret: string, body: object): ChatExchange {
  const answered = Promise.withResolvers<number | null>();
  const ended = Promise.withResolvers<ChatAnswer | null>();
  const watchers = new Set<() => void>();
  let text = "";
  let over = false;
  let response: IncomingMessage | null = null;

  function finish(answer: ChatAnswer | null): void {
    over = true;
    answered.resolve(null);
    ended.resolve(answer);
    for (const watcher of watchers) watcher();
  }

  const outgoing = request(
    `${url}/v1/chat/completions`,
    { method: "POST", agent: false, headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" } },
    (incoming) => {
      response = incoming;
      const status = incoming.statusCode ?? 0;
      answered.resolve(status);
      incoming.setEncoding("utf8");
      incoming.on("data", (part: string) => {
        text += part;
        for (const watcher of watchers) watcher();
      });
      incoming.on("error", () => undefined);
      incoming.on("close", () => finish({ status, headers: incoming.headers, text, complete: incoming.complete }));
    },
  );
  outgoing.on("error", () => {
    if (response === null) finish(null);
  });
  outgoing.end(JSON.stringify(body));

  return {
    answered: answered.promise,
    ended: ended.promise,
    get requestId() {
      return parseRequestId(String(response?.headers["x-request-id"]));
    },
    get text() {
      return text;
    },
    seen(part) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      function look(): void {
        if (text.includes(part)) resolve();
        else if (over) reject(new Error(`the answer ended without ${JSON.stringify(part)}: ${text.slice(-500)}`));
        else return;
        watchers.delete(look);
      }
      watchers.add(look);
      look();
      return promise;
    },
    pause: () => void response?.pause(),
    leave: () => void outgoing.destroy(),
  };
}

/** Sends one request and waits for the whole answer. Throws when there is none. */
export async function chat(url: string, secret: string, body: object): Promise<ChatAnswer> {
  const answer = await openChat(url, secret, body).ended;
  if (answer === null) throw new Error("the connection broke before there was an answer");
  return answer;
}

/** The `error` of an error body, or of the last error event of a stream; null where there is none. */
export function errorOf(text: string): { readonly message: string; readonly code: string | null } | null {
  const candidates = text.startsWith("{")
    ? [text]
    : text
        .split("\n")
        .filter((line) => line.startsWith("data: {"))
        .map((line) => line.slice(6));
  for (const candidate of candidates.toReversed()) {
    const value = JSON.parse(candidate) as { error?: { message: string; code: string | null } };
    if (value.error !== undefined) return value.error;
  }
  return null;
}
