/**
 * Protects: a member's alerts reach the chat that it linked and no other, each once, as slowly as
 * Telegram asks for, until the member or its chat has had enough; then they stop, and the member knows.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { MemberCaller } from "../../src/accounts/member-caller.ts";
import type { TelegramChat, TelegramCode } from "../../src/contract/panel/alert.ts";
import { removeMember } from "../../src/business/members/remove-member.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { startTelegram, type TelegramServer } from "../support/telegram-server.ts";
import { until } from "../support/until.ts";
import { alertHands, type AlertHands } from "./alert-hands.ts";
import { addMember, BOT_TOKEN, openAlertWorld, type AlertWorld } from "./alert-world.ts";

let database: TestDatabase;
let telegram: TelegramServer;
let world: AlertWorld;
let another: AlertWorld;
let { newOwner, add, log, spend } = {} as AlertHands;
let chats = 5_000;

before(async () => {
  database = await testDatabase();
  telegram = await startTelegram(BOT_TOKEN);
  // Two processes of the gateway: everything holds with both.
  world = await openAlertWorld({ databaseUrl: database.url, telegramUrl: telegram.url });
  another = await openAlertWorld({ databaseUrl: database.url, telegramUrl: telegram.url });
  ({ newOwner, add, log, spend } = alertHands(database, world));
});
after(async () => {
  await world.close();
  await another.close();
  await telegram[Symbol.asyncDispose]();
  await database.drop();
  assert.deepEqual([...world.troubles, ...another.troubles], []);
});

const TELEGRAM = "/panel/api/alerts/telegram";

async function chatOf(member: MemberCaller): Promise<TelegramChat> {
  return (await world.endpoint.ask(member, "GET", TELEGRAM)).json<TelegramChat>();
}

async function codeOf(member: MemberCaller): Promise<TelegramCode> {
  const answer = await world.endpoint.ask(member, "POST", `${TELEGRAM}/code`);
  assert.equal(answer.status, 200, answer.text);
  return answer.json<TelegramCode>();
}

/** Returns the chat. */
async function link(member: MemberCaller): Promise<number> {
  const chatId = ++chats;
  telegram.write(chatId, (await codeOf(member)).command);
  await until("the chat is linked", async () => (await chatOf(member)).chat !== null);
  await until("the bot says so", async () => textsIn(chatId).length === 1);
  return chatId;
}

function textsIn(chatId: number): string[] {
  return telegram.sent.filter((one) => one.chatId === chatId).map(({ text }) => text);
}

async function mailsTo(email: string, kind: string): Promise<number> {
  return (
    await database.db.query("SELECT 1 FROM mail.outbox WHERE recipient = $1 AND kind = $2", [
      email,
      kind,
    ])
  ).length;
}

test("a code links the chat that sends it, once, and no other code does; the bot's name makes a link of it", async () => {
  const owner = await newOwner("100");
  assert.deepEqual((await chatOf(owner)).chat, null);
  await until("the bot's name is known", async () => (await chatOf(owner)).bot === "alerts_bot");
  const { command, url } = await codeOf(owner);
  assert.equal(url, `https://t.me/alerts_bot?start=${command.slice("/start ".length)}`);
  // An older code ends with the new one.
  const newer = await codeOf(owner);
  const [stranger, chatId] = [++chats, ++chats];
  telegram.write(stranger, command);
  await until("the old code is refused", async () => textsIn(stranger).length === 1);
  assert.match(textsIn(stranger)[0] ?? "", /не подходит/u);
  assert.equal((await chatOf(owner)).chat, null);
  telegram.write(chatId, newer.command);
  await until("it is linked", async () => (await chatOf(owner)).chat !== null);
  assert.equal((await chatOf(owner)).chat?.title, `@user${chatId}`);
  telegram.write(stranger, newer.command, "en");
  await until("a used code is refused", async () => textsIn(stranger).length === 2);
  assert.match(textsIn(stranger)[1] ?? "", /of no use/);
  assert.equal((await chatOf(owner)).chat?.title, `@user${chatId}`);
  assert.equal(telegram.mostPolls, 1, "one process at a time reads updates");
  const [codes] = await database.db.query<{ n: number }>(
    "SELECT count(*)::int AS n FROM telegram.codes WHERE member_id = $1",
    [owner.memberId],
  );
  assert.equal(codes?.n, 0);
});

test("a crossing is told once in the chats of those whom the rule names, and in no other", async () => {
  const owner = await newOwner("1000");
  const manager = await addMember(database.db, owner.accountId, { role: "manager" });
  const [ofOwner, ofManager] = [await link(owner), await link(manager)];
  const wish = { kind: "spend_day", threshold: "10", mailTo: "nobody" } as const;
  await add(owner, { ...wish, telegramTo: "members", memberIds: [manager.memberId] });
  await spend(owner.accountId, "12.5");
  await until("it is told", async () => textsIn(ofManager).length === 2);
  assert.match(textsIn(ofManager)[1] ?? "", /^Расход за день: 12,50\u00a0₽\n\n/u);
  await spend(owner.accountId, "12.5");
  await until("it is noted", async () => (await log(owner))[0]?.state === "delivered");
  const deliveries = await log(owner);
  assert.deepEqual(
    deliveries.map(({ channel, to, attempts }) => [channel, to, attempts]),
    [["telegram", manager.email, 1]],
  );
  assert.deepEqual([textsIn(ofManager).length, textsIn(ofOwner).length], [2, 1]);
  const kept = await database.db.query(
    "SELECT 1 FROM telegram.messages WHERE member_id = $1 AND sealed IS NOT NULL",
    [manager.memberId],
  );
  assert.deepEqual(kept, [], "what it said is erased once it is out");
});

test("a 429 puts a chat off for as long as Telegram says and is no try; a refusal that may pass is tried again", async () => {
  const owner = await newOwner("1000");
  const chatId = await link(owner);
  const before = telegram.triesOf(chatId);
  telegram.refuse(chatId, {
    status: 429,
    description: "Too Many Requests: retry after 600",
    parameters: { retry_after: 600 },
  });
  await add(owner, { kind: "spend_day", threshold: "10", mailTo: "nobody", telegramTo: "owners" });
  await spend(owner.accountId, "10");
  await until("it was tried", async () => telegram.triesOf(chatId) === before + 1);
  const put = await until("it is put off", async () => {
    const [row] = await database.db.query<{ attempts: number; seconds: number }>(
      `SELECT attempts, extract(epoch FROM due_at - clock_timestamp())::float8 AS seconds FROM telegram.messages
       WHERE chat_id = $1 AND sealed IS NOT NULL`,
      [chatId],
    );
    return row !== undefined && row.attempts === 0 ? row : null;
  });
  assert.ok(put.seconds > 300 && put.seconds <= 600, String(put.seconds));
  telegram.refuse(chatId, { status: 502, description: "Bad Gateway" });
  const due = "UPDATE telegram.messages SET due_at = now() WHERE chat_id = $1";
  await database.db.query(due, [chatId]);
  await until("it failed once", async () => (await log(owner))[0]?.attempts === 1);
  await until("the reason is there", async () => (await log(owner))[0]?.lastError !== null);
  assert.match((await log(owner))[0]?.lastError ?? "", /502.*Bad Gateway/);
  telegram.refuse(chatId, null);
  await database.db.query(due, [chatId]);
  await until("it is out", async () => (await log(owner))[0]?.state === "delivered");
  assert.equal(textsIn(chatId).length, 2);
});

test("a bot that is blocked unlinks the chat and says so by mail, whether an update or a refusal tells it", async () => {
  for (const how of ["update", "refusal"] as const) {
    const owner = await newOwner("1000");
    const chatId = await link(owner);
    if (how === "update") telegram.block(chatId);
    else {
      telegram.refuse(chatId, {
        status: 403,
        description: "Forbidden: bot was blocked by the user",
      });
      const wish = { kind: "spend_day", threshold: "10", mailTo: "nobody" } as const;
      await add(owner, { ...wish, telegramTo: "owners" });
      await spend(owner.accountId, "10");
    }
    await until("it is unlinked", async () => (await chatOf(owner)).chat === null);
    assert.equal(await mailsTo(owner.email, "telegram-unlinked"), 1, how);
    if (how === "refusal") {
      const [delivery] = await log(owner);
      assert.equal(delivery?.state, "given_up");
      assert.match(delivery?.lastError ?? "", /blocked by the user/);
    }
  }
});

test("a group that Telegram gives another id is written to under that one", async () => {
  const owner = await newOwner("1000");
  const chatId = await link(owner);
  const moved = ++chats;
  telegram.refuse(chatId, {
    status: 400,
    description: "Bad Request: group chat was upgraded to a supergroup chat",
    parameters: { migrate_to_chat_id: moved },
  });
  await add(owner, { kind: "spend_day", threshold: "10", mailTo: "nobody", telegramTo: "owners" });
  await spend(owner.accountId, "10");
  await until("it is told there", async () => textsIn(moved).length === 1);
  assert.notEqual((await chatOf(owner)).chat, null);
});

test("who links another chat gets there what still waited for the one before", async () => {
  const owner = await newOwner("1000");
  const first = await link(owner);
  telegram.refuse(first, {
    status: 429,
    description: "Too Many Requests",
    parameters: { retry_after: 600 },
  });
  const tries = telegram.triesOf(first);
  await add(owner, { kind: "spend_day", threshold: "10", mailTo: "nobody", telegramTo: "owners" });
  await spend(owner.accountId, "10");
  await until("it waits", async () => telegram.triesOf(first) > tries);
  const second = ++chats;
  telegram.write(second, (await codeOf(owner)).command);
  await until("it is delivered", async () => (await log(owner))[0]?.state === "delivered");
  await until("the bot answers", async () => textsIn(second).length === 2);
  assert.ok(textsIn(second).some((text) => text.startsWith("Расход за день")));
  assert.equal(textsIn(first).length, 1, "no more than what the linking said");
});

test("who unlinks, writes /stop or leaves the account hears nothing more, not even what waited", async () => {
  const endings = {
    unlink: async (member: MemberCaller) =>
      assert.equal((await world.endpoint.ask(member, "DELETE", TELEGRAM)).status, 200),
    stop: async (_: MemberCaller, chatId: number) => telegram.write(chatId, "/stop"),
    leave: async (member: MemberCaller) => {
      await addMember(database.db, member.accountId);
      await removeMember({ db: database.db }, member, member.memberId);
    },
  };
  for (const [how, end] of Object.entries(endings)) {
    const owner = await newOwner("1000");
    const chatId = await link(owner);
    telegram.refuse(chatId, {
      status: 429,
      description: "Too Many Requests",
      parameters: { retry_after: 600 },
    });
    const wish = { kind: "spend_day", threshold: "10", mailTo: "nobody" } as const;
    await add(owner, { ...wish, telegramTo: "owners" });
    await spend(owner.accountId, "10");
    await until("it waits", async () => telegram.triesOf(chatId) > 1);
    await end(owner, chatId);
    await until(`${how}: nothing waits for the member any more`, async () => {
      const waiting = await database.db.query(
        "SELECT 1 FROM telegram.messages WHERE member_id = $1 AND sealed IS NOT NULL",
        [owner.memberId],
      );
      const linked = await database.db.query("SELECT 1 FROM telegram.chats WHERE member_id = $1", [
        owner.memberId,
      ]);
      return waiting.length === 0 && linked.length === 0;
    });
    assert.equal(await mailsTo(owner.email, "telegram-unlinked"), 0, how);
  }
});

test("strangers get so many answers a minute and no more, and people in groups are let alone", async () => {
  const [stranger, group] = [++chats, -++chats];
  for (let at = 0; at < 25; at += 1) telegram.write(stranger, `hello ${at}`, "en");
  telegram.write(group, "hello everybody");
  telegram.write(group, "/start@alerts_bot", "en");
  await until("the bot is done", async () => textsIn(group).length === 1);
  await until("nothing waits", async () => {
    const waiting = "SELECT 1 FROM telegram.messages WHERE sealed IS NOT NULL AND chat_id = $1";
    return (await database.db.query(waiting, [stranger])).length === 0;
  });
  assert.equal(textsIn(stranger).length, 10);
});
