/**
 * Guarantee: a call in the panel is the API's: the same body in and out, the same price before and
 * after, through a key that its member chose and through nothing else; refused in the panel's words.
 */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { topUp } from "../../src/business/accounts/top-up.ts";
import type { PanelErrorBody } from "../../src/contract/panel/panel-error.ts";
import type { PlaygroundCallQuote } from "../../src/contract/panel/playground.ts";
import { setKeyFrozen } from "../../src/keys/change.store.ts";
import { parseRoubles } from "../../src/kernel/money.ts";
import { openChatScene, type ChatScene } from "../support/chat-scene.ts";
import { hashOf, newKey } from "../support/new-customer.ts";
import { signUpAtPanel, type PanelPerson } from "../support/panel-session.ts";
import { until } from "../support/until.ts";
import { answerWhole, mediaCatalogue, mediaKinds, type MediaKind } from "../calls/media-kinds.ts";

let scene: ChatScene;
let folder: string;
let kinds: readonly MediaKind[];
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "playground-calls-"));
  kinds = await mediaKinds();
  scene = await openChatScene({
    catalogue: mediaCatalogue,
    env: { STORAGE_URL: `file:${join(folder, "files")}` },
  });
});
after(async () => {
  await scene.verifyBooks();
  await scene.close();
  await rm(folder, { recursive: true, force: true });
});

interface Member extends PanelPerson {
  readonly secret: string;
}

async function newMember(roubles: string): Promise<Member> {
  const person = await signUpAtPanel(scene.gateway);
  const amountNano = parseRoubles(roubles);
  assert.ok(amountNano !== null);
  await topUp(scene.db, { accountId: person.accountId, amountNano, reference: null });
  const { secret } = await newKey(scene.db, person.accountId);
  return Object.assign(person, { secret });
}

/** As a page of the panel would, or with the key itself. */
async function post(
  kind: MediaKind,
  user: string,
  { at = "", headers }: { readonly at?: string; readonly headers: Record<string, string> },
): Promise<{ readonly status: number; readonly type: string | null; readonly text: string }> {
  const { path, body, contentType } = kind.request(user);
  const to = headers["cookie"] === undefined ? "/v1" : "/panel/api/playground";
  const response = await fetch(`${scene.gateway.url}${to}${at}${path.slice("/v1".length)}`, {
    method: "POST",
    headers: { "content-type": contentType, ...headers },
    body: new Uint8Array(body),
  });
  const type = response.headers.get("content-type");
  return { status: response.status, type, text: await response.text() };
}

function byPanel(person: PanelPerson, secret: string): Record<string, string> {
  return {
    cookie: person.cookie ?? "",
    origin: scene.gateway.url,
    "sec-fetch-site": "same-origin",
    "x-tollgate-key": hashOf(secret),
  };
}

const essence = (text: string): string => text.replaceAll(/"created":\d+/g, '"created":0');

async function chargedTo(accountId: string): Promise<bigint> {
  await until("nothing is held", async () => (await scene.money(accountId)).held === 0n);
  return (await scene.money(accountId)).charged;
}

test("each kind answers in the panel what the API answers, is quoted what the API quotes, and costs the same", async () => {
  for (const kind of kinds) {
    const [panel, api] = [await newMember("100"), await newMember("100")];
    const play = scene.play((exchange) => answerWhole(exchange, kind));
    const own = { headers: byPanel(panel, panel.secret) };
    const theirs = { headers: { authorization: `Bearer ${api.secret}` } };
    const quoted = await post(kind, play.user, { ...own, at: "/quote" });
    const quotedByApi = await post(kind, play.user, { ...theirs, at: "/quote" });
    assert.equal(quoted.status, 200, `${kind.name}: ${quoted.text}`);
    assert.equal(quoted.text, quotedByApi.text, kind.name);
    assert.equal(play.requests.length, 0, "a quote calls no upstream");
    const shown = await post(kind, play.user, own);
    const answered = await post(kind, play.user, theirs);
    assert.equal(shown.status, 200, `${kind.name}: ${shown.text}`);
    assert.deepEqual(
      [shown.type, essence(shown.text)],
      [answered.type, essence(answered.text)],
      kind.name,
    );
    const charged = await chargedTo(panel.accountId);
    assert.ok(charged > 0n, kind.name);
    assert.equal(charged, await chargedTo(api.accountId), kind.name);
    const [receipt] = await scene.receipts(panel.accountId, 1);
    assert.equal(receipt?.endpoint, kind.endpoint);
  }
});

test("what is refused is told in the panel's words, with its reason, and calls no upstream", async () => {
  const [poor, other] = [await newMember("0.000001"), await newMember("100")];
  const frozen = await newKey(scene.db, poor.accountId);
  await scene.db.transaction((tx) => setKeyFrozen(tx, frozen.key, true));
  for (const kind of kinds) {
    const play = scene.play((exchange) => answerWhole(exchange, kind));
    const refused = async (secret: string, at = ""): Promise<string> => {
      const { status, text } = await post(kind, play.user, { at, headers: byPanel(poor, secret) });
      const { error } = JSON.parse(text) as PanelErrorBody;
      return `${status} ${error.code} ${String(error.reason)}`;
    };
    assert.equal(await refused(poor.secret), "402 insufficient_balance funds_short", kind.name);
    assert.match(await refused(frozen.secret), /^403 permission_denied api_key_frozen/, kind.name);
    assert.match(await refused(other.secret), /^404 not_found/, "a key of another account");
    assert.match(await refused(other.secret, "/quote"), /^404 not_found/);
    const headers = byPanel(poor, poor.secret);
    const quote = await post(kind, play.user, { at: "/quote", headers });
    const { admitted, refusal } = JSON.parse(quote.text) as PlaygroundCallQuote;
    assert.deepEqual([admitted, refusal?.reason], [false, "funds_short"], kind.name);
    assert.equal(play.requests.length, 0);
  }
});
