/**
 * Protects: what Telegram answers is understood as its Bot API says, and the bot's token is in nothing
 * that is said of it.
 */
import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { createOutgoing } from "../../net/outgoing.ts";
import { readUpdate } from "./read-update.ts";
import { createTelegramBot, type TelegramBot } from "./telegram-bot.ts";

const TOKEN = "7700112233:AAE-the_secret-part-0123456789-abcdef";
const outgoing = createOutgoing();
const signal = new AbortController().signal;
let server: Server;
let bot: TelegramBot;
let answer: { status: number; body: string; headers?: Record<string, string> };
let asked = "";

before(async () => {
  server = createServer((request, response) => {
    asked = request.url ?? "";
    request.resume();
    response.writeHead(answer.status, answer.headers);
    response.end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/relay`;
  bot = createTelegramBot({ outgoing, botToken: TOKEN, apiUrl });
});
after(async () => {
  await outgoing.close();
  server.close();
});

function answers(status: number, body: unknown, headers?: Record<string, string>): void {
  answer = {
    status,
    body: typeof body === "string" ? body : JSON.stringify(body),
    ...(headers === undefined ? {} : { headers }),
  };
}

const refusal = (description: string, parameters?: object): object => ({
  ok: false,
  description,
  ...(parameters === undefined ? {} : { parameters }),
});

test("each answer to a message is what it says", async () => {
  const send = () => bot.sendMessage(-1_001n, "hi", signal);
  answers(200, { ok: true, result: {} });
  assert.deepEqual(await send(), { kind: "sent" });
  assert.equal(asked, `/relay/bot${TOKEN}/sendMessage`);
  answers(429, refusal("Too Many Requests", { retry_after: 7 }));
  assert.deepEqual(await send(), { kind: "slow-down", seconds: 7 });
  answers(429, "slow down", { "retry-after": "9" });
  assert.deepEqual(await send(), { kind: "slow-down", seconds: 9 });
  answers(429, refusal("Too Many Requests", { retry_after: 1e9 }));
  assert.deepEqual(await send(), { kind: "slow-down", seconds: 3_600 }, "not for years");
  answers(400, refusal("upgraded", { migrate_to_chat_id: -100_222 }));
  assert.deepEqual(await send(), { kind: "moved", chatId: -100_222n });
  for (const [status, description, kind] of [
    [403, "Forbidden: bot was blocked by the user", "unreachable"],
    [400, "Bad Request: chat not found", "unreachable"],
    [400, "Bad Request: message text is empty", "refused"],
    [401, "Unauthorized", "failed"],
    [500, "Internal Server Error", "failed"],
  ] as const) {
    answers(status, refusal(description));
    assert.equal((await send()).kind, kind, description);
  }
  for (const status of [200, 400, 403]) {
    answers(status, "<html>a proxy's page</html>");
    assert.equal((await send()).kind, "failed", "what is no answer of Telegram says nothing");
  }
});

test("a reason never has the token, even where the other side repeats it", async () => {
  answers(404, refusal(`Not Found: /bot${TOKEN}/sendMessage`));
  const outcome = await bot.sendMessage(1n, "hi", signal);
  assert.ok(outcome.kind === "failed");
  assert.ok(!outcome.reason.includes("the_secret-part"), outcome.reason);
  const dead = createTelegramBot({ outgoing, botToken: TOKEN, apiUrl: "http://127.0.0.1:9" });
  const failed = await dead.readUpdates(0n, 0, signal);
  assert.ok(failed.kind === "failed" && !failed.reason.includes("the_secret-part"));
});

test("updates come in their order, and what is of no use is numbered all the same", async () => {
  answers(200, {
    ok: true,
    result: [
      { update_id: 12, message: { chat: { id: 5, first_name: "Anna" }, text: "/start" } },
      { update_id: 11, edited_message: {} },
      { nonsense: true },
    ],
  });
  const outcome = await bot.readUpdates(0n, 0, signal);
  assert.ok(outcome.kind === "updates");
  assert.deepEqual(
    outcome.updates.map(({ updateId, what }) => [updateId, what.kind]),
    [
      [11, "other"],
      [12, "text"],
    ],
  );
});

test("of an update no more is read than is there", () => {
  assert.equal(readUpdate({ update_id: -1 }), null);
  assert.deepEqual(readUpdate({ update_id: 1, message: { chat: { id: 0.5 }, text: "x" } }), {
    updateId: 1,
    what: { kind: "other" },
  });
  const named = { id: -5, title: "Team \u0000", username: "team" };
  assert.deepEqual(
    readUpdate({
      update_id: 2,
      my_chat_member: { chat: named, new_chat_member: { status: "kicked" } },
    })?.what,
    { kind: "left", chat: { chatId: -5n, title: "@team" } },
  );
  assert.equal(
    readUpdate({
      update_id: 3,
      my_chat_member: { chat: named, new_chat_member: { status: "member" } },
    })?.what.kind,
    "other",
  );
});
