/**
 * Protects: an account hears of each crossing once, by everybody who shall hear of it, and of
 * nothing else.
 */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { Webhook } from "standardwebhooks";
import type { MemberCaller } from "../../src/accounts/member-caller.ts";
import type { Alert, AlertSecret } from "../../src/contract/panel/alert.ts";
import { newUuid } from "../../src/kernel/ids.ts";
import { createSeal } from "../../src/kernel/seal.ts";
import { claimMail } from "../../src/business/mail/outbox.store.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { newAccount, newKey } from "../support/new-customer.ts";
import { until } from "../support/until.ts";
import { alertHands, type AlertHands } from "./alert-hands.ts";
import { addMember, openAlertWorld, SESSION_SECRET, type AlertWorld } from "./alert-world.ts";

let database: TestDatabase;
let world: AlertWorld;
let { newOwner, rules, add, log, credit, spend } = {} as AlertHands;

before(async () => {
  database = await testDatabase();
  world = await openAlertWorld({ databaseUrl: database.url });
  ({ newOwner, rules, add, log, credit, spend } = alertHands(database, world));
});
after(async () => {
  await world.close();
  await database.drop();
  assert.deepEqual(world.troubles, []);
});

test("every account, new or there already, has a low balance and a spike watched for its owners, without an alert at its beginning", async () => {
  const owner = await addMember(database.db, await newAccount(database.db, "1"));
  await until("it is looked at", async () => (await rules(owner)).length > 0);
  assert.deepEqual(
    (await rules(owner)).map(({ kind, threshold, factor, mailTo, enabled, fired, lastFiredAt }) => [
      kind,
      threshold,
      factor,
      mailTo,
      enabled,
      fired,
      lastFiredAt,
    ]),
    [
      ["balance_below", "500", null, "owners", true, false, null],
      ["spend_spike", "1000", 5, "owners", true, false, null],
    ],
  );
  assert.deepEqual(await log(owner), []);
  await credit(owner.accountId, "999");
  await spend(owner.accountId, "600");
  assert.deepEqual(
    (await log(owner)).map(({ kind, value, to }) => [kind, value, to]),
    [["balance_below", "400", owner.email]],
  );
});

test("a low balance is told once, and again only after it was clearly above", async () => {
  const owner = await newOwner("200");
  const { accountId } = owner;
  await add(owner, { kind: "balance_below", threshold: "100" });
  await spend(accountId, "100");
  assert.equal((await log(owner)).length, 0, "the threshold itself is not below it");
  await spend(accountId, "1");
  for (let time = 0; time < 5; time += 1) await spend(accountId, "1");
  assert.equal((await log(owner)).length, 1);
  // To 109, which is not a tenth above; and below again.
  await credit(accountId, "15");
  await spend(accountId, "20");
  assert.equal((await log(owner)).length, 1);
  await credit(accountId, "21");
  assert.equal((await rules(owner))[0]?.fired, false);
  await spend(accountId, "20");
  assert.equal((await log(owner)).length, 2);
  assert.equal((await rules(owner))[0]?.fired, true);
});

test("spend of a day and of a month is told once in each, of the account and of one key", async () => {
  const owner = await newOwner("10000");
  const { accountId } = owner;
  const { key } = await newKey(database.db, accountId);
  const other = await newKey(database.db, accountId);
  await spend(accountId, "40", key.keyId);
  await add(owner, { kind: "spend_day", threshold: "100" });
  await add(owner, { kind: "spend_month", threshold: "150" });
  await add(owner, { kind: "spend_day", threshold: "60", keyHash: key.hash });
  await spend(accountId, "50", other.key.keyId);
  assert.deepEqual(await log(owner), []);
  await spend(accountId, "10", other.key.keyId);
  assert.deepEqual(
    (await log(owner)).map(({ kind, value }) => [kind, value]),
    [["spend_day", "100"]],
  );
  await spend(accountId, "20", key.keyId);
  assert.deepEqual(
    (await log(owner)).map(({ kind, value }) => [kind, value]),
    [
      ["spend_day", "60"],
      ["spend_day", "100"],
    ],
  );
  await spend(accountId, "30");
  await spend(accountId, "300");
  assert.deepEqual(
    (await log(owner)).map(({ kind }) => kind),
    ["spend_month", "spend_day", "spend_day"],
  );
  // The next day: what was counted is of yesterday, and what is quiet is so no longer.
  await database.db.query(
    "UPDATE alerts.spend SET bucket = bucket - interval '1 day' WHERE subject_id = ANY ($1::uuid[])",
    [[accountId, key.keyId]],
  );
  await database.db.query(
    "UPDATE alerts.rules SET quiet_until = now() WHERE account_id = $1 AND kind = 'spend_day'",
    [accountId],
  );
  await spend(accountId, "99", key.keyId);
  assert.equal((await log(owner)).length, 4);
  await spend(accountId, "1");
  assert.deepEqual(
    (await log(owner)).slice(0, 2).map(({ kind, value }) => [kind, value]),
    [
      ["spend_day", "100"],
      ["spend_day", "99"],
    ],
  );
});

test("a spike is much more in an hour than the mean hour of a week; a steady spender hears nothing, and the same spike is told once", async () => {
  const owner = await newOwner("100000");
  const { accountId } = owner;
  // A hundred roubles in each hour of the week before.
  await database.db.query(
    `INSERT INTO alerts.spend (account_id, subject_id, grain, bucket, charged_nano)
     SELECT $1, $1, 'hour', date_trunc('hour', now()) - n * interval '1 hour', 100000000000 FROM generate_series(1, 168) n`,
    [accountId],
  );
  await add(owner, { kind: "spend_spike", threshold: "50", factor: 3 });
  await add(owner, { kind: "spend_spike", threshold: "5000", factor: 2 });
  await spend(accountId, "290");
  assert.deepEqual(await log(owner), []);
  await spend(accountId, "20");
  assert.deepEqual(
    (await log(owner)).map(({ kind, value }) => [kind, value]),
    [["spend_spike", "310"]],
  );
  await spend(accountId, "500");
  assert.equal((await log(owner)).length, 1);
  // An hour without it, then another.
  await database.db.query("UPDATE alerts.rules SET quiet_until = now() WHERE account_id = $1", [
    accountId,
  ]);
  await spend(accountId, "1");
  assert.equal((await log(owner)).length, 2);
});

test("what was past its threshold when a rule was made or changed says nothing; a rule that is switched off neither", async () => {
  const owner = await newOwner("1000");
  const { accountId } = owner;
  await spend(accountId, "200");
  const day = await add(owner, { kind: "spend_day", threshold: "100" });
  assert.deepEqual([day.fired, day.lastFiredAt], [false, null], "it has said nothing");
  const off = await add(owner, { kind: "spend_day", threshold: "300", enabled: false });
  await spend(accountId, "200");
  assert.deepEqual(await log(owner), []);
  const changed = await world.endpoint.ask(owner, "POST", `/panel/api/alerts/${day.alertId}`, {
    threshold: "500",
  });
  assert.deepEqual([changed.json<Alert>().fired, changed.json<Alert>().threshold], [false, "500"]);
  await spend(accountId, "100");
  assert.deepEqual(
    (await log(owner)).map(({ alertId, threshold }) => [alertId, threshold]),
    [[day.alertId, "500"]],
  );
  assert.equal(
    (
      await world.endpoint.ask(owner, "POST", `/panel/api/alerts/${off.alertId}`, { enabled: true })
    ).json<Alert>().fired,
    false,
  );
});

test("mail goes to the owners or to chosen members, in their own language, and never to an address that was not confirmed", async () => {
  const owner = await newOwner("1234.5");
  const { accountId } = owner;
  const english = await addMember(database.db, accountId, { language: "en" });
  await addMember(database.db, accountId, { verified: false });
  const viewer = await addMember(database.db, accountId, { role: "viewer" });
  await add(owner, { kind: "balance_below", threshold: "1234" });
  await add(owner, {
    kind: "balance_below",
    threshold: "1234",
    mailTo: "members",
    memberIds: [viewer.memberId],
  });
  await add(owner, { kind: "balance_below", threshold: "1234", mailTo: "nobody" });
  await spend(accountId, "0.755");
  assert.deepEqual(
    new Set((await log(owner)).map(({ to }) => to)),
    new Set([owner.email, english.email, viewer.email]),
  );
  const mails = (
    await claimMail(database.db, createSeal(SESSION_SECRET), { most: 100, seconds: 60 })
  ).filter(({ kind }) => kind === "alert");
  const of = (member: MemberCaller): string | undefined => {
    const content = mails.find(({ to }) => to === member.email)?.content;
    return content === null || content === undefined
      ? undefined
      : `${content.subject}\n${content.text}`;
  };
  assert.match(
    of(owner) ?? "",
    /^Баланс меньше 1\u00a0234\u00a0₽\n.*осталось 1\u00a0233,74\u00a0₽/su,
  );
  assert.match(of(english) ?? "", /^The balance is below ₽1,234\n.*has ₽1,233\.74 left/s);
  assert.match(of(english) ?? "", /https:\/\/gateway\.example\/panel\/billing/);
});

test("webhooks are signed by the account's own secret, tried again, and every try is in the log; addresses are guarded", async () => {
  const owner = await newOwner("100");
  const received: { readonly headers: Record<string, string>; readonly body: string }[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      received.push({
        headers: request.headers as Record<string, string>,
        body: Buffer.concat(parts).toString(),
      });
      response.writeHead(received.length === 1 ? 503 : 204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  try {
    const { secret } = (
      await world.endpoint.ask(owner, "POST", "/panel/api/alerts/webhook-secret")
    ).json<AlertSecret>();
    assert.match(secret, /^whsec_/);
    const status = await world.endpoint.ask(owner, "GET", "/panel/api/alerts/webhook-secret");
    assert.doesNotMatch(status.text, /whsec_/);
    for (const bad of [
      "http://10.0.0.1/",
      "file:///etc/passwd",
      "https://localhost/",
      "nonsense",
      "http://user:pw@example.com/",
    ]) {
      const answer = await world.endpoint.ask(owner, "POST", "/panel/api/alerts", {
        kind: "spend_day",
        threshold: "1",
        webhookUrl: bad,
      });
      assert.equal(answer.status, 400, bad);
      assert.match(answer.text, /webhookUrl/);
    }
    const alert = await add(owner, {
      kind: "spend_day",
      threshold: "10",
      mailTo: "nobody",
      webhookUrl: url,
    });
    await spend(owner.accountId, "12.5");
    await until("it was tried", async () => received.length === 1);
    const pending = await until(
      "the try is in the log",
      async () => (await log(owner)).find(({ attempts }) => attempts === 1) ?? null,
    );
    assert.deepEqual(
      [pending.state, pending.lastStatus, pending.lastError, pending.to],
      ["pending", 503, "answered with 503", url],
    );
    assert.ok(pending.nextAttemptAt !== null);
    await database.db.query("UPDATE alerts.deliveries SET due_at = now() WHERE account_id = $1", [
      owner.accountId,
    ]);
    await until("it is delivered", async () => (await log(owner))[0]?.state === "delivered");
    const [first, second] = received;
    assert.ok(first !== undefined && second !== undefined);
    assert.equal(first.body, second.body);
    assert.equal(first.headers["webhook-id"], second.headers["webhook-id"]);
    const reported = new Webhook(secret).verify(second.body, second.headers) as {
      type: string;
      data: Record<string, unknown>;
    };
    assert.equal(reported.type, "alert.spend_day");
    assert.deepEqual(reported.data, {
      alertId: alert.alertId,
      test: false,
      keyHash: null,
      groupId: null,
      value: "12.5",
      threshold: "10",
      factor: null,
      percent: null,
      currency: "RUB",
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test("a test is sent as an alert would be, changes nothing about it, and is bounded", async () => {
  const owner = await newOwner("50");
  const alert = await add(owner, { kind: "balance_below", threshold: "20" });
  const answer = await world.endpoint.ask(owner, "POST", `/panel/api/alerts/${alert.alertId}/test`);
  assert.deepEqual([answer.status, answer.json<object>()], [202, { deliveries: 1 }]);
  assert.deepEqual(
    (await log(owner)).map(({ test: isTest, value, state }) => [isTest, value, state]),
    [[true, "18", "pending"]],
    "an example below the threshold, not the balance, which is above it",
  );
  assert.equal((await rules(owner))[0]?.fired, false);
  await spend(owner.accountId, "31");
  assert.equal((await log(owner)).filter(({ test: isTest }) => !isTest).length, 1);
  const statuses: number[] = [];
  for (let time = 0; time < 51; time += 1)
    statuses.push(
      (await world.endpoint.ask(owner, "POST", `/panel/api/alerts/${alert.alertId}/test`)).status,
    );
  assert.equal(statuses.at(-1), 429);
});

test("rules that cannot be are refused by the field, viewers only look, and strangers see nothing", async () => {
  const owner = await newOwner("50");
  const { key } = await newKey(database.db, owner.accountId);
  const stranger = await newOwner("50");
  const theirs = await newKey(database.db, stranger.accountId);
  for (const [wish, param] of [
    [{ kind: "balance_below", threshold: "0" }, "threshold"],
    [{ kind: "balance_below", threshold: "1", factor: 2 }, "factor"],
    [{ kind: "spend_spike", threshold: "1" }, "factor"],
    [{ kind: "spend_spike", threshold: "1", factor: 1 }, "factor"],
    [{ kind: "balance_below", threshold: "1", keyHash: key.hash }, "keyHash"],
    [{ kind: "spend_day", threshold: "1", keyHash: theirs.key.hash }, "keyHash"],
    [{ kind: "spend_day", threshold: "1", mailTo: "members" }, "memberIds"],
    [
      { kind: "spend_day", threshold: "1", mailTo: "members", memberIds: [stranger.memberId] },
      "memberIds",
    ],
    [{ kind: "spend_year", threshold: "1" }, "kind"],
    [{ kind: "spend_day", threshold: "1.001" }, "threshold"],
  ] as const) {
    const answer = await world.endpoint.ask(owner, "POST", "/panel/api/alerts", wish);
    assert.equal(answer.status, 400, JSON.stringify(wish));
    assert.match(answer.text, new RegExp(param));
  }
  const alert = await add(owner, { kind: "spend_day", threshold: "10" });
  const viewer = { ...owner, memberId: newUuid(), role: "viewer" as const };
  assert.equal((await world.endpoint.ask(viewer, "GET", "/panel/api/alerts")).status, 200);
  for (const [method, path] of [
    ["POST", "/panel/api/alerts"],
    ["POST", `/panel/api/alerts/${alert.alertId}`],
    ["POST", `/panel/api/alerts/${alert.alertId}/test`],
    ["DELETE", `/panel/api/alerts/${alert.alertId}`],
    ["POST", "/panel/api/alerts/webhook-secret"],
  ] as const) {
    assert.equal(
      (await world.endpoint.ask(viewer, method, path, method === "DELETE" ? undefined : {})).status,
      403,
      path,
    );
    if (path.includes(alert.alertId)) {
      const texts = await Promise.all(
        [path, path.replace(alert.alertId, newUuid())].map(async (one) => {
          const answer = await world.endpoint.ask(
            stranger,
            method,
            one,
            method === "DELETE" ? undefined : {},
          );
          return `${answer.status} ${answer.text.replace(/req_\w+/, "")}`;
        }),
      );
      assert.match(texts[0] ?? "", /^404/);
      assert.equal(texts[0], texts[1]);
    }
  }
  assert.equal((await rules(stranger)).length, 0);
});

test("an exact twin of a rule is refused, of two made at once too, and by a change; what differs in one point is no twin", async () => {
  const owner = await newOwner("1000");
  const viewer = await addMember(database.db, owner.accountId, { role: "viewer" });
  const make = (wish: object) => world.endpoint.ask(owner, "POST", "/panel/api/alerts", wish);
  const code = (answer: { json<T>(): T }): string =>
    answer.json<{ error: { code: string } }>().error.code;
  const wish = { kind: "balance_below", threshold: "500" } as const;
  const atOnce = await Promise.all([
    make(wish),
    make({ ...wish, threshold: "500.00" }),
    make(wish),
    make({ ...wish, enabled: false }),
  ]);
  assert.deepEqual(
    atOnce.map(({ status }) => status).toSorted((a, b) => a - b),
    [201, 409, 409, 409],
  );
  assert.deepEqual(atOnce.filter(({ status }) => status === 409).map(code), [
    "already_exists",
    "already_exists",
    "already_exists",
  ]);
  assert.equal((await rules(owner)).length, 1);
  const members = { mailTo: "members", memberIds: [viewer.memberId, owner.memberId] } as const;
  await add(owner, { ...wish, ...members, memberIds: [...members.memberIds] });
  assert.equal(
    (await make({ ...wish, ...members, memberIds: members.memberIds.toReversed() })).status,
    409,
  );
  await add(owner, { kind: "spend_day", threshold: "500" });
  await add(owner, { ...wish, mailTo: "nobody", webhookUrl: "https://example.com/hook" });
  const other = await add(owner, { ...wish, threshold: "501" });
  const change = (body: object) =>
    world.endpoint.ask(owner, "POST", `/panel/api/alerts/${other.alertId}`, body);
  const refused = await change({ threshold: "500" });
  assert.deepEqual([refused.status, code(refused)], [409, "already_exists"]);
  assert.equal((await change({ threshold: "501", enabled: false })).status, 200);
  // Twins from before this was refused are switched and left alone.
  await database.db.query(
    "UPDATE alerts.rules SET threshold_nano = 500000000000 WHERE rule_id = $1",
    [other.alertId],
  );
  assert.equal((await change({ enabled: true })).status, 200);
});

test("a deleted rule leaves its log, and an account has so many rules and no more", async () => {
  const owner = await newOwner("50");
  const alert = await add(owner, { kind: "spend_day", threshold: "10" });
  await spend(owner.accountId, "10");
  assert.equal(
    (await world.endpoint.ask(owner, "DELETE", `/panel/api/alerts/${alert.alertId}`)).status,
    200,
  );
  assert.deepEqual(
    (await log(owner)).map(({ alertId, value }) => [alertId, value]),
    [[null, "10"]],
  );
  for (let made = 0; made < 50; made += 1)
    await add(owner, { kind: "spend_month", threshold: String(10_000 + made) });
  assert.equal(
    (
      await world.endpoint.ask(owner, "POST", "/panel/api/alerts", {
        kind: "spend_day",
        threshold: "1",
      })
    ).status,
    409,
  );
});
