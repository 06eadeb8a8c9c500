/**
 * Guarantee: what an operator does in the panel of one process holds in every other, and only
 * operators find their pages.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { AuditList } from "../../src/contract/panel/operator-audit.ts";
import type { CatalogueSource } from "../../src/contract/panel/operator-catalogue.ts";
import type { OperatorOverview } from "../../src/contract/panel/operator-overview.ts";
import type { Session } from "../../src/contract/panel/sessions.ts";
import {
  openChatScene,
  standardPrice,
  type ChatCustomer,
  type ChatScene,
} from "../support/chat-scene.ts";
import type { Gateway } from "../support/gateway-process.ts";
import { openAiStream } from "../support/openai-stream.ts";
import {
  openPanelBrowser,
  signUpAtPanel,
  type PanelBrowser,
  type PanelPerson,
} from "../support/panel-session.ts";
import { postChat } from "../support/post-chat.ts";
import { until } from "../support/until.ts";

const USAGE = { prompt_tokens: 17, completion_tokens: 9, total_tokens: 26 };

let scene: ChatScene;
let other: Gateway;
let operator: PanelPerson;
let elsewhere: PanelBrowser;
let people: readonly PanelPerson[];
before(async () => {
  scene = await openChatScene({ env: { SESSION_SECRET: "s".repeat(40) } });
  // While there is one process, whose folder the mail is in.
  const [first, ...others] = [
    await signUpAtPanel(scene.gateway, "The business"),
    await signUpAtPanel(scene.gateway),
    await signUpAtPanel(scene.gateway),
  ];
  [operator, people] = [first, others];
  other = await scene.anotherGateway();
  await scene.db.query("UPDATE accounts.members SET operator = true WHERE member_id = $1", [
    operator.memberId,
  ]);
  elsewhere = openPanelBrowser(other.url);
  elsewhere.cookie = operator.cookie;
});
after(() => scene.close());

/** Through the process that the operator is not at. */
async function chat({
  secret,
}: ChatCustomer): Promise<{ readonly status: number; readonly requestId: string }> {
  const play = scene.play(async (exchange) => {
    await exchange.sendAll(openAiStream({ pieces: ["ё"], usage: USAGE }));
    exchange.end();
  });
  const { answer } = postChat(other.url, secret, {
    model: "standard",
    messages: [{ role: "user", content: "?" }],
    user: play.user,
    stream: true,
  });
  return answer;
}

test("money that is credited at one process is spent at the other, at the price that was applied at the first", async () => {
  const customer = await scene.customer({ roubles: "0" });
  assert.equal((await chat(customer)).status, 402);
  const credit = { amount: "50", reason: "bank transfer 1", ref: `bank:${customer.accountId}` };
  assert.equal(
    (await operator.ask("POST", `operator/accounts/${customer.accountId}/credit`, credit)).status,
    200,
  );
  const first = await chat(customer);
  assert.equal(
    (await scene.receipt(first.requestId)).chargedNano,
    standardPrice({ input: 17, output: 9 }),
  );

  const { source, version } = (
    await operator.ask("GET", "operator/catalogue")
  ).json<CatalogueSource>();
  const dearer = source.replaceAll('output: "600"', 'output: "6000"');
  const applied = await operator.ask("POST", "operator/catalogue/apply", {
    source: dearer,
    expectedVersion: version,
    note: "dearer",
    allowBigChange: true,
  });
  assert.equal(applied.status, 200, applied.text);
  await until("the other process charges by the new prices", async () => {
    const { requestId } = await chat(customer);
    const { chargedNano, priceVersion } = await scene.receipt(requestId);
    return priceVersion === version + 1 && chargedNano === standardPrice({ input: 17, output: 90 });
  });
  assert.equal(
    (await elsewhere.ask("GET", "operator/catalogue")).json<CatalogueSource>().version,
    version + 1,
  );
  const again = await elsewhere.ask("POST", "operator/catalogue/apply", {
    source,
    expectedVersion: version,
  });
  assert.equal(again.status, 409);
  await until("the overview has the day's money", async () => {
    const { charged } = await scene.money(customer.accountId);
    const { today } = (await elsewhere.ask("GET", "operator/overview")).json<OperatorOverview>();
    return charged > 0n && today.activeAccounts === 1 && today.requests >= 2;
  });
});

test("an account that is blocked at one process is refused at the other at once; its member is told why there", async () => {
  const member = people[0] ?? assert.fail();
  const customer = await scene.anotherKey({
    accountId: member.accountId,
    secret: "",
    key: (await scene.customer()).key,
  });
  const ref = `bank:${member.accountId}`;
  await operator.ask("POST", `operator/accounts/${member.accountId}/credit`, {
    amount: "50",
    reason: "x",
    ref,
  });
  assert.equal((await chat(customer)).status, 200);
  assert.equal(
    (
      await operator.ask("POST", `operator/accounts/${member.accountId}/block`, {
        reason: "an unpaid bill",
      })
    ).status,
    200,
  );
  assert.equal((await chat(customer)).status, 403);
  assert.match((await member.ask("GET", "account/block")).text, /an unpaid bill/);
  const { account, member: self } = (await member.ask("GET", "session")).json<Session>();
  assert.deepEqual(
    [account.blocked, self.role],
    [true, "owner"],
    "its members keep their roles, though they may only look",
  );
  const log = (
    await elsewhere.ask("GET", `operator/audit?account=${member.accountId}`)
  ).json<AuditList>();
  assert.deepEqual(
    log.data.map(({ action, actor, memberId }) => [action, actor, memberId]),
    ["account.block", "account.credit"].map((action) => [
      action,
      operator.email,
      operator.memberId,
    ]),
  );
});

test("to a member who is no operator the pages are not there, and what was an operator is none from the next request on", async () => {
  const member = people[1] ?? assert.fail();
  const bodyOf = (text: string): string => text.replace(/req_[0-9a-f]+/, "");
  const nowhere = await member.ask("GET", "operator/nowhere");
  for (const path of [
    "operator/overview",
    "operator/accounts",
    `operator/accounts/${member.accountId}`,
    "operator/audit",
  ]) {
    const answer = await member.ask("GET", path);
    assert.deepEqual([answer.status, bodyOf(answer.text)], [404, bodyOf(nowhere.text)], path);
  }
  const credit = { amount: "1", reason: "a present to myself", ref: "self" };
  assert.equal(
    (await member.ask("POST", `operator/accounts/${member.accountId}/credit`, credit)).status,
    404,
  );
  await scene.db.query("UPDATE accounts.members SET operator = true WHERE member_id = $1", [
    member.memberId,
  ]);
  assert.equal((await member.ask("GET", "operator/overview")).status, 200);
  await scene.db.query("UPDATE accounts.members SET operator = false WHERE member_id = $1", [
    member.memberId,
  ]);
  assert.equal((await member.ask("GET", "operator/overview")).status, 404);
});
