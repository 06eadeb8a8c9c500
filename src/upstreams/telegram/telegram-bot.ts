/**
 * A bot by Telegram's Bot API (https://core.telegram.org/bots/api): its name, its updates by long
 * polling, and messages of plain text. Its token stands in every address, and in nothing that is said
 * of a call.
 */
import type { Outgoing, OutgoingRequest } from "../../net/outgoing.ts";
import { isRecord } from "../../protocol/json/is-record.ts";
import { partsOf } from "../chat-post.ts";
import { exchangeJson, type ExchangeResult } from "../tasks/exchange-json.ts";
import { reasonText } from "../tasks/hide-credential.ts";
import { readUpdate, type TelegramUpdate } from "./read-update.ts";

export interface TelegramBotOptions {
  readonly outgoing: Outgoing;
  /** As @BotFather gives it: the bot's id, a colon, a secret. */
  readonly botToken: string;
  /** Ends before `/bot`, as in `https://api.telegram.org`. */
  readonly apiUrl: string;
  readonly timeoutsMs?: {
    readonly connect: number;
    readonly firstByte: number;
    readonly idle: number;
  };
}

export type SendOutcome =
  | { readonly kind: "sent" }
  /** The bot writes to that chat no more: it was blocked, taken out, or the chat is no more. */
  | { readonly kind: "unreachable"; readonly reason: string }
  /** The group has another id from now on. */
  | { readonly kind: "moved"; readonly chatId: bigint }
  /** Not before then. */
  | { readonly kind: "slow-down"; readonly seconds: number }
  /** It will never be taken as it is. */
  | { readonly kind: "refused"; readonly reason: string }
  /** Whether it was taken is not known, or it was not for a reason that may pass. */
  | { readonly kind: "failed"; readonly reason: string };

export type UpdatesOutcome =
  | { readonly kind: "updates"; readonly updates: readonly TelegramUpdate[] }
  | { readonly kind: "failed"; readonly reason: string; readonly retrySeconds: number | null };

export type BotOutcome =
  /** Without an @. */
  | { readonly kind: "bot"; readonly username: string }
  | { readonly kind: "failed"; readonly reason: string };

export interface TelegramBot {
  readonly botId: bigint;
  readBot(signal: AbortSignal): Promise<BotOutcome>;
  /** One that has a webhook cannot be polled; null where Telegram does not say it now. */
  hasWebhook(signal: AbortSignal): Promise<boolean | null>;
  /** From `offset` on, which ends those before it; waits for the first one for so long. */
  readUpdates(offset: bigint, waitSeconds: number, signal: AbortSignal): Promise<UpdatesOutcome>;
  sendMessage(chatId: bigint, text: string, signal: AbortSignal): Promise<SendOutcome>;
}

const TIMEOUTS_MS = { connect: 5_000, firstByte: 15_000, idle: 5_000 };
/** Characters of one message. */
const MOST_TEXT = 4_096;
const MOST_UPDATES = 50;
/** What Telegram asks for at most is minutes; more is a mistake, and no reason to be silent. */
const LONGEST_PAUSE_SECONDS = 3_600;
const LEAST_PAUSE_SECONDS = 1;
/** A chat that is gone has no code of its own. */
const NO_CHAT = /chat not found|group chat was deactivated|user is deactivated/i;
const USERNAME = /^\w{1,64}$/;

export function createTelegramBot(options: TelegramBotOptions): TelegramBot {
  const { outgoing, botToken } = options;
  const timeouts = options.timeoutsMs ?? TIMEOUTS_MS;
  const { origin, path } = partsOf({ baseUrl: options.apiUrl, timeoutsMs: timeouts });

  function call(
    method: string,
    body: object,
    signal: AbortSignal,
    waitMs = 0,
  ): Promise<ExchangeResult> {
    const request: OutgoingRequest = {
      origin,
      path: `${path}/bot${botToken}/${method}`,
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json",
        "accept-encoding": "identity",
        "user-agent": "tollgate",
      },
      body: Buffer.from(JSON.stringify(body)),
      connectTimeoutMs: timeouts.connect,
      firstByteTimeoutMs: timeouts.firstByte + waitMs,
      idleTimeoutMs: timeouts.idle,
    };
    return exchangeJson(outgoing, request, signal);
  }

  function reasonOf(result: ExchangeResult): string {
    if (result.kind === "failed") return reasonText(botToken, result.why.reason);
    return reasonText(botToken, `answered with ${result.status}`, descriptionOf(result.json));
  }

  return {
    botId: BigInt(botToken.slice(0, botToken.indexOf(":"))),

    async readBot(signal) {
      const result = await call("getMe", {}, signal);
      const username = fieldOf(result, "username");
      return typeof username === "string" && USERNAME.test(username)
        ? { kind: "bot", username }
        : { kind: "failed", reason: reasonOf(result) };
    },

    async hasWebhook(signal) {
      const url = fieldOf(await call("getWebhookInfo", {}, signal), "url");
      return typeof url === "string" ? url !== "" : null;
    },

    async readUpdates(offset, waitSeconds, signal) {
      const wish = {
        offset: Number(offset),
        limit: MOST_UPDATES,
        timeout: waitSeconds,
        allowed_updates: ["message", "my_chat_member"],
      };
      const result = await call("getUpdates", wish, signal, waitSeconds * 1_000);
      const list = result.kind === "answer" && result.status === 200 ? resultOf(result.json) : null;
      if (!Array.isArray(list)) {
        const retrySeconds = result.kind === "answer" ? pauseOf(result) : null;
        return { kind: "failed", reason: reasonOf(result), retrySeconds };
      }
      const updates = list.map(readUpdate).filter((update) => update !== null);
      return { kind: "updates", updates: updates.toSorted((a, b) => a.updateId - b.updateId) };
    },

    async sendMessage(chatId, text, signal) {
      const result = await call(
        "sendMessage",
        {
          chat_id: Number(chatId),
          text: text.slice(0, MOST_TEXT),
          link_preview_options: { is_disabled: true },
        },
        signal,
      );
      if (result.kind === "answer" && result.status === 200 && isOk(result.json))
        return { kind: "sent" };
      const reason = reasonOf(result);
      if (result.kind === "failed") return { kind: "failed", reason };
      if (result.status === 429)
        return { kind: "slow-down", seconds: pauseOf(result) ?? LEAST_PAUSE_SECONDS };
      const moved = parameterOf(result.json, "migrate_to_chat_id");
      if (moved !== null) return { kind: "moved", chatId: BigInt(moved) };
      const description = descriptionOf(result.json);
      // A page of something in between says nothing of the chat.
      if (description === null) return { kind: "failed", reason };
      if (result.status === 403) return { kind: "unreachable", reason };
      if (result.status !== 400) return { kind: "failed", reason };
      return NO_CHAT.test(description)
        ? { kind: "unreachable", reason }
        : { kind: "refused", reason };
    },
  };
}

function isOk(json: unknown): boolean {
  return isRecord(json) && json["ok"] === true;
}

function resultOf(json: unknown): unknown {
  return isRecord(json) && json["ok"] === true ? json["result"] : null;
}

/** Of an answer that is a thing; undefined: it is none. */
function fieldOf(result: ExchangeResult, name: string): unknown {
  const thing = result.kind === "answer" && result.status === 200 ? resultOf(result.json) : null;
  return isRecord(thing) ? thing[name] : undefined;
}

function descriptionOf(json: unknown): string | null {
  const description = isRecord(json) ? json["description"] : null;
  return typeof description === "string" ? description : null;
}

/** `ResponseParameters` of the Bot API. */
function parameterOf(json: unknown, name: "retry_after" | "migrate_to_chat_id"): number | null {
  const parameters = isRecord(json) ? json["parameters"] : null;
  const value = isRecord(parameters) ? parameters[name] : null;
  return typeof value === "number" && Number.isSafeInteger(value) ? value : null;
}

/** Telegram says it in the body; a relay before it may say it in the header. */
function pauseOf(answer: Extract<ExchangeResult, { kind: "answer" }>): number | null {
  const asked =
    parameterOf(answer.json, "retry_after") ??
    (answer.retryAfterMs === null ? null : Math.ceil(answer.retryAfterMs / 1_000));
  return asked === null
    ? null
    : Math.min(LONGEST_PAUSE_SECONDS, Math.max(LEAST_PAUSE_SECONDS, asked));
}
