/**
 * Protects: each trouble of the installation is told to every operator once, whichever process looks,
 * by the ways that they chose; what was over for a moment is the same trouble; no other member hears of it.
 */
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { insertMember } from "../../src/accounts/store.ts";
import {
  changeOperatorAlert,
  listOperatorAlerts,
} from "../../src/business/watch/change-operator-alert.ts";
import { tellOperators } from "../../src/business/watch/tell-operators.ts";
import { forgetCircuits, tellCircuits } from "../../src/business/operate/circuits.store.ts";
import { linkChat } from "../../src/business/telegram/chats.store.ts";
import type { Uuid } from "../../src/kernel/ids.ts";
import { newUuid } from "../../src/kernel/ids.ts";
import { createSeal } from "../../src/kernel/seal.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { newAccount } from "../support/new-customer.ts";
import { SESSION_SECRET } from "./alert-world.ts";

const PROCESS = newUuid();
let database: TestDatabase;
let operator: { readonly memberId: Uuid; readonly email: string };
let nowMs = Date.parse("2026-03-10T12:00:00Z");

before(async () => {
  database = await testDatabase();
  const accountId = await newAccount(database.db);
  operator = await addMember(accountId, true);
  await addMember(accountId, false);
});
after(() => database.drop());
afterEach(async () => {
  await database.db.query("DELETE FROM mail.outbox");
  await database.db.query("DELETE FROM telegram.messages");
});

async function addMember(
  accountId: Uuid,
  isOperator: boolean,
): Promise<{ memberId: Uuid; email: string }> {
  const memberId = newUuid();
  const email = `${memberId}@example.test`;
  await insertMember(database.db, {
    memberId,
    accountId,
    email,
    passwordHash: "$argon2id$x",
    mustChangePassword: false,
    operator: isOperator,
    role: "owner",
    language: "en",
    verified: true,
  });
  await linkChat(database.db, { memberId, chatId: isOperator ? 1n : 2n, title: "@a" });
  return { memberId, email };
}

/** As several processes at once. */
async function look(): Promise<void> {
  const deps = {
    db: database.db,
    clock: { now: () => new Date(nowMs), monotonicMs: () => nowMs },
    seal: createSeal(SESSION_SECRET),
    baseUrl: () => "https://gateway.example",
  };
  await Promise.all([tellOperators(deps), tellOperators(deps), tellOperators(deps)]);
}

async function routes(states: Readonly<Record<string, number>>): Promise<void> {
  await tellCircuits(database.db, {
    processId: PROCESS,
    label: "test",
    routes: new Map(Object.entries(states)),
  });
}

async function heard(): Promise<{ mails: string[]; chats: bigint[] }> {
  const mails = await database.db.query<{ recipient: string }>(
    "SELECT recipient FROM mail.outbox WHERE kind = 'operator-alert'",
  );
  const chats = await database.db.query<{ chat: bigint }>(
    "SELECT chat_id AS chat FROM telegram.messages",
  );
  return {
    mails: mails.map(({ recipient }) => recipient),
    chats: chats.map(({ chat }) => BigInt(chat)),
  };
}

test("a route that opens is told once by mail and Telegram, another one by itself, and a flap not again", async () => {
  await look();
  assert.deepEqual(await heard(), { mails: [], chats: [] }, "all is well");
  await routes({ "one/model": 2, "two/model": 1 });
  await look();
  await look();
  assert.deepEqual(await heard(), { mails: [operator.email], chats: [1n] });
  await routes({ "one/model": 2, "two/model": 2 });
  await look();
  assert.equal((await heard()).mails.length, 2);
  assert.deepEqual(
    (await listOperatorAlerts(database.db)).find(({ kind }) => kind === "circuit_open")?.now,
    ["one/model", "two/model"],
  );
  await forgetCircuits(database.db, PROCESS);
  nowMs += 10 * 60_000;
  await look();
  await routes({ "one/model": 2 });
  await look();
  assert.equal((await heard()).mails.length, 2, "over for ten minutes only");
  await forgetCircuits(database.db, PROCESS);
  nowMs += 16 * 60_000;
  await look();
  await routes({ "one/model": 2 });
  await look();
  assert.equal((await heard()).mails.length, 3);
  await forgetCircuits(database.db, PROCESS);
});

test("operators choose what they hear of and how, and the log says who did", async () => {
  const { db } = database;
  const change = (wish: object) =>
    changeOperatorAlert(db, operator, { kind: "circuit_open", ...wish });
  await change({ enabled: false });
  await routes({ "three/model": 2 });
  await look();
  assert.deepEqual(await heard(), { mails: [], chats: [] });
  // What there is then is told.
  await change({ enabled: true, mail: false });
  await look();
  assert.deepEqual(await heard(), { mails: [], chats: [1n] });
  await assert.rejects(change({ percent: 5 }), { code: "invalid_request" });
  const actions = await db.query<{ actor: string; subject: string }>(
    "SELECT actor, subject FROM audit.actions WHERE action = 'operator_alert.change'",
  );
  assert.deepEqual(
    actions.map(({ actor, subject }) => [actor, subject]),
    [
      [operator.email, "circuit_open"],
      [operator.email, "circuit_open"],
    ],
  );
  await change({ enabled: true, mail: false });
  assert.equal((await db.query("SELECT 1 FROM audit.actions")).length, 2, "no change, no line");
  await forgetCircuits(db, PROCESS);
});

test("the margin of yesterday is told once where it is below what an operator asks for", async () => {
  const { db } = database;
  await db.query("INSERT INTO operate.margin_days (day) VALUES ($1)", ["2026-03-09"]);
  await db.query(
    `INSERT INTO operate.margin (day, model, upstream, requests, charged_nano, cost_nano, unknown_requests, unknown_charged_nano, loss_nano)
     VALUES ($1, 'm', 'u', 2, 1500, 950, 1, 500, 0)`,
    ["2026-03-09"],
  );
  nowMs = Date.parse("2026-03-10T12:00:00Z");
  await look();
  assert.deepEqual((await heard()).mails, [], "no operator asked for it");
  await changeOperatorAlert(db, operator, { kind: "margin_below", enabled: true, percent: 5 });
  await look();
  assert.deepEqual((await heard()).mails, [], "5 % of what has a known cost are not below 5 %");
  await changeOperatorAlert(db, operator, { kind: "margin_below", percent: 6 });
  await look();
  nowMs += 3_600_000;
  await look();
  assert.deepEqual((await heard()).mails, [operator.email]);
});
