/**
 * Telegram's Bot API on loopback, as far as it is used: updates by long polling, which an offset
 * ends, and messages that a test may have refused.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

interface SentMessage {
  readonly chatId: number;
  readonly text: string;
}

interface Refusal {
  readonly status: number;
  readonly description: string;
  readonly parameters?: { readonly retry_after?: number; readonly migrate_to_chat_id?: number };
}

export interface TelegramServer extends AsyncDisposable {
  readonly url: string;
  /** What was taken, in its order. */
  readonly sent: readonly SentMessage[];
  /** How many polls were open at once, at most. */
  readonly mostPolls: number;
  /** What a person writes to the bot. */
  write(chatId: number, text: string, language?: string): void;
  /** A person blocks the bot; it says so by an update. */
  block(chatId: number): void;
  /** Messages to the chat are answered so; null: they are taken again. */
  refuse(chatId: number, refusal: Refusal | null): void;
  /** Another program gives the bot a webhook; empty: takes it away. */
  setWebhook(url: string): void;
  /** Tries to send to a chat, those refused counted in. */
  triesOf(chatId: number): number;
}

const LOOK_MS = 10;

/** Any other token than this is answered with 401, as Telegram does. */
export async function startTelegram(token: string): Promise<TelegramServer> {
  const updates: { readonly update_id: number }[] = [];
  const sent: SentMessage[] = [];
  const refusals = new Map<number, Refusal>();
  const tries = new Map<number, number>();
  let next = 1_000;
  let polls = 0;
  let mostPolls = 0;
  let webhook = "";

  const put = (about: object): void => void updates.push({ update_id: next++, ...about });

  async function pending(offset: number, waitSeconds: number, closed: () => boolean) {
    // What an offset passed is gone for good.
    while (updates[0] !== undefined && updates[0].update_id < offset) updates.shift();
    const until = performance.now() + waitSeconds * 1_000;
    while (updates.length === 0 && performance.now() < until && !closed())
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    return updates.slice(0, 50);
  }

  const server = createServer((request, response) => {
    void (async () => {
      const answer = (status: number, body: object): void => {
        response.writeHead(status, { "content-type": "application/json" });
        response.end(JSON.stringify(body));
      };
      const refused = ({ status, ...more }: Refusal): void =>
        answer(status, { ok: false, error_code: status, ...more });
      const [, bot = "", method = ""] = (request.url ?? "").split("/");
      const body = (await json(request)) as Record<string, unknown>;
      if (bot !== `bot${token}`) return refused({ status: 401, description: "Unauthorized" });
      if (method === "getMe")
        return answer(200, { ok: true, result: { id: 1, is_bot: true, username: "alerts_bot" } });
      if (method === "getWebhookInfo") return answer(200, { ok: true, result: { url: webhook } });
      if (method === "getUpdates") {
        polls += 1;
        mostPolls = Math.max(mostPolls, polls);
        try {
          const closed = (): boolean => response.destroyed || response.closed;
          const result = await pending(Number(body["offset"]), Number(body["timeout"]), closed);
          return answer(200, { ok: true, result });
        } finally {
          polls -= 1;
        }
      }
      const chatId = Number(body["chat_id"]);
      tries.set(chatId, (tries.get(chatId) ?? 0) + 1);
      const refusal = refusals.get(chatId);
      if (refusal !== undefined) return refused(refusal);
      sent.push({ chatId, text: String(body["text"]) });
      return answer(200, { ok: true, result: { message_id: sent.length } });
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent,
    get mostPolls() {
      return mostPolls;
    },
    write(chatId, text, language = "ru") {
      const chat = { id: chatId, type: "private", username: `user${chatId}` };
      put({ message: { message_id: next, chat, from: { language_code: language }, text } });
    },
    block(chatId) {
      const chat = { id: chatId, type: "private", username: `user${chatId}` };
      put({ my_chat_member: { chat, new_chat_member: { status: "kicked" } } });
    },
    refuse(chatId, refusal) {
      if (refusal === null) refusals.delete(chatId);
      else refusals.set(chatId, refusal);
    },
    setWebhook: (url) => void (webhook = url),
    triesOf: (chatId) => tries.get(chatId) ?? 0,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
