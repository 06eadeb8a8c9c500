/**
 * Protects: with TRUSTED_PROXIES every endpoint of a real gateway sees the client behind the proxy
 * and no forged address; without it, the proxy.
 */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createSandbox, type Sandbox } from "../../sandbox/create-sandbox.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { startGateway, type Gateway } from "../support/gateway-process.ts";
import { newAccount, newKey } from "../support/new-customer.ts";
import {
  openPanelBrowser,
  PASSWORD,
  signUpAtPanel,
  type PanelPerson,
} from "../support/panel-session.ts";
import { rawHttp } from "../support/raw-http.ts";
import type { Settings } from "../support/tollgate-environment.ts";

const SANDBOX_KEY = "key-of-the-operator";
/** What a proxy says of whom it was called by: inside of the key's addresses, and outside. */
const INSIDE = "203.0.113.7";
const OUTSIDE = "198.51.100.1";

let database: TestDatabase;
let sandbox: Sandbox;
const folder = mkdtempSync(join(tmpdir(), "trusted-proxies-"));
/** The first one trusts what comes from loopback, the second trusts no proxy. */
let trusting: Gateway;
let plain: Gateway;
/** May be used from 203.0.113.0/24 alone. */
let secret: string;
let accountId: string;
before(async () => {
  database = await testDatabase();
  sandbox = await createSandbox({ port: 0, host: "127.0.0.1" });
  const start = (env: Settings, roles?: string): Promise<Gateway> =>
    startGateway({
      databaseUrl: database.url,
      catalogue: readFileSync(join(import.meta.dirname, "../../catalogue.yaml"), "utf8"),
      ...(roles === undefined ? {} : { roles }),
      env: {
        SANDBOX_URL: sandbox.url,
        SANDBOX_API_KEY: SANDBOX_KEY,
        STORAGE_URL: `file:${join(folder, "files")}`,
        SESSION_SECRET: "s".repeat(40),
        ...env,
      },
    });
  // Mail is written by the first one alone, so that the tests know where.
  [trusting, plain] = await Promise.all([
    start({ TRUSTED_PROXIES: "10.0.0.0/8, 127.0.0.1/32" }),
    start({}, "api"),
  ]);
  accountId = await newAccount(database.db, "1000");
  secret = (await newKey(database.db, accountId, { ips: ["203.0.113.0/24"] })).secret;
});
after(async () => {
  await Promise.all([trusting.stop(), plain.stop()]);
  await sandbox.close();
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

const CHAT = {
  model: "sandbox-large",
  max_tokens: 50,
  messages: [{ role: "user", content: "Hi" }],
};

const RESPONSE = { model: CHAT.model, max_output_tokens: 50, input: CHAT.messages };

function upload(): FormData {
  const form = new FormData();
  form.set("file", new Blob(["some text"]), "note.txt");
  return form;
}

/** Every way in that a key opens, as a whole request. */
const ENDPOINTS: readonly (readonly [path: string, body?: () => object])[] = [
  ["/v1/chat/completions", () => CHAT],
  ["/v1/chat/completions", () => ({ ...CHAT, stream: true })],
  ["/v1/messages", () => CHAT],
  ["/v1/responses", () => RESPONSE],
  ["/v1/responses", () => ({ ...RESPONSE, stream: true })],
  ["/v1/messages/count_tokens", () => ({ model: CHAT.model, messages: CHAT.messages })],
  ["/v1/quote/chat/completions", () => CHAT],
  ["/v1/quote/messages", () => CHAT],
  ["/v1/quote/responses", () => RESPONSE],
  ["/v1/tasks/nano-banana-2", () => ({ prompt: "A red fox" })],
  ["/v1/quote/tasks/nano-banana-2", () => ({ prompt: "A red fox" })],
  ["/v1/storage/upload", upload],
  ["/v1/storage/files"],
  ["/v1/models"],
  ["/v1/balance"],
  ["/v1/requests"],
];

async function ask(
  gateway: Gateway,
  [path, body]: (typeof ENDPOINTS)[number],
  headers: Readonly<Record<string, string>>,
) {
  const sent = body?.();
  const form = sent instanceof FormData;
  const response = await fetch(gateway.url + path, {
    method: sent === undefined ? "GET" : "POST",
    headers: {
      "x-api-key": secret,
      ...(sent === undefined || form ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(sent === undefined ? {} : { body: form ? sent : JSON.stringify(sent) }),
  });
  return { status: response.status, text: await response.text() };
}

test("a key with allowed addresses is accepted for a client inside of them and refused for one outside, at every endpoint", async () => {
  for (const endpoint of ENDPOINTS) {
    for (const forwarded of [
      INSIDE,
      `${OUTSIDE}, ${INSIDE}`,
      `${OUTSIDE}, ${INSIDE}:4711, 10.9.9.9`,
      `::ffff:${INSIDE}`,
    ]) {
      const answer = await ask(trusting, endpoint, { "x-forwarded-for": forwarded });
      assert.equal(answer.status, 200, `${endpoint[0]} for ${forwarded}: ${answer.text}`);
    }
    for (const forwarded of [OUTSIDE, `${INSIDE}, ${OUTSIDE}`, `${INSIDE}, ${OUTSIDE}, 10.9.9.9`]) {
      const answer = await ask(trusting, endpoint, { "x-forwarded-for": forwarded });
      assert.equal(answer.status, 403, `${endpoint[0]} for ${forwarded}: ${answer.text}`);
      assert.match(answer.text, /may not be used from the address 198\.51\.100\.1\./);
    }
    const garbage = await ask(trusting, endpoint, { "x-forwarded-for": `${INSIDE}, unknown` });
    assert.equal(garbage.status, 403, endpoint[0]);
    assert.match(garbage.text, /from the address 127\.0\.0\.1\./);
  }
});

test("without the setting the header changes nothing, and no other header ever does", async () => {
  const { secret: here } = await newKey(database.db, accountId, { ips: ["127.0.0.0/8"] });
  const others = {
    "x-real-ip": INSIDE,
    "cf-connecting-ip": INSIDE,
    "true-client-ip": INSIDE,
    forwarded: `for=${INSIDE}`,
  };
  for (const endpoint of ENDPOINTS) {
    const forged = await ask(plain, endpoint, { "x-forwarded-for": INSIDE, ...others });
    assert.equal(forged.status, 403, `${endpoint[0]}: ${forged.text}`);
    assert.match(forged.text, /from the address 127\.0\.0\.1\./);
    assert.equal(
      (await ask(plain, endpoint, { "x-api-key": here, "x-forwarded-for": OUTSIDE })).status,
      200,
      endpoint[0],
    );
    const behindProxy = await ask(trusting, endpoint, { ...others, "x-forwarded-for": OUTSIDE });
    assert.equal(behindProxy.status, 403, `${endpoint[0]}: ${behindProxy.text}`);
    assert.match(behindProxy.text, /from the address 198\.51\.100\.1\./);
  }
});

test("a client cannot push the line that its proxy adds last out of the headers", async () => {
  const junk = "a:\r\n".repeat(2_500);
  const head = (last: string): string =>
    `GET /v1/balance HTTP/1.1\r\nhost: x\r\nx-api-key: ${secret}\r\nX-Forwarded-For: ${INSIDE}\r\n${junk}X-Forwarded-For: ${last}\r\nconnection: close\r\n\r\n`;
  const port = Number(new URL(trusting.url).port);
  assert.equal((await rawHttp(port, head(OUTSIDE))).status, 403);
  assert.equal((await rawHttp(port, head(INSIDE))).status, 200);
});

test("a member of the panel is where its browser is, in the playground as elsewhere", async () => {
  const person = await signUpAtPanel(trusting);
  const { key } = await newKey(database.db, person.accountId, { ips: ["203.0.113.0/24"] });
  for (const path of ["chat/completions", "quote/chat/completions"]) {
    const chat = (from: string) =>
      person.ask("POST", `playground/${path}`, CHAT, {
        "x-tollgate-key": key.hash,
        "x-forwarded-for": from,
      });
    const refused = await chat(`${INSIDE}, ${OUTSIDE}`);
    assert.equal(refused.status, 403, refused.text);
    assert.match(refused.text, /from the address 198\.51\.100\.1\./);
    // The address is good; a new account has no money.
    assert.notEqual((await chat(`${OUTSIDE}, ${INSIDE}`)).status, 403);
  }
});

test("the figures are for who asks this process itself, whatever a trusted proxy says of its client", async () => {
  assert.equal((await fetch(`${trusting.url}/metrics`)).status, 200);
  for (const forwarded of [INSIDE, "127.0.0.1", "10.0.0.1", ""]) {
    const answer = await fetch(`${trusting.url}/metrics`, {
      headers: { "x-forwarded-for": forwarded },
    });
    assert.equal(answer.status, 403, forwarded);
  }
});

/** Wrong passwords until one more is refused unread; how many there were. */
async function guessUntilRefused(gateway: Gateway, email: string, from: string): Promise<number> {
  for (let guesses = 0; guesses < 40; guesses += 1) {
    const answer = await openPanelBrowser(gateway.url).ask(
      "POST",
      "log-in",
      { email, password: "wrong password" },
      { "x-forwarded-for": from },
    );
    if (answer.status === 429) return guesses;
    assert.equal(answer.status, 401, answer.text);
  }
  return assert.fail("nobody was slowed down");
}

function logIn(gateway: Gateway, { email }: PanelPerson, from: string) {
  return openPanelBrowser(gateway.url).ask(
    "POST",
    "log-in",
    { email, password: PASSWORD },
    { "x-forwarded-for": from },
  );
}

test("two visitors behind one proxy do not share the limit of wrong passwords; without the setting they do", async () => {
  const [one, two] = [await signUpAtPanel(trusting), await signUpAtPanel(trusting)];
  assert.ok((await guessUntilRefused(trusting, one.email, OUTSIDE)) >= 5);
  assert.equal(
    (await logIn(trusting, one, `${INSIDE}, ${OUTSIDE}`)).status,
    429,
    "a forged entry makes no new visitor",
  );
  assert.equal((await logIn(trusting, one, INSIDE)).status, 200);
  await guessUntilRefused(plain, two.email, OUTSIDE);
  assert.equal((await logIn(plain, two, INSIDE)).status, 429);
});

test("the limit of an address is the client's, and its sessions show it", async () => {
  const person = await signUpAtPanel(trusting);
  // A public one: private and reserved addresses have a limit twenty times as high.
  const from = "8.8.4.33";
  const tries = Array.from({ length: 70 }, (_, i) =>
    openPanelBrowser(trusting.url).ask(
      "POST",
      "password/forgot",
      { email: `nobody-${i}@example.test` },
      { "x-forwarded-for": from },
    ),
  );
  const statuses = new Set((await Promise.all(tries)).map(({ status }) => status));
  assert.deepEqual([...statuses].toSorted(), [202, 429]);
  assert.equal((await logIn(trusting, person, from)).status, 429);
  assert.equal((await logIn(trusting, person, "8.8.4.34")).status, 200);
  const { data } = (await person.ask("GET", "sessions")).json<{ data: { address: string }[] }>();
  assert.deepEqual(data.map(({ address }) => address).toSorted(), ["127.0.0.1", "8.8.4.34"]);
});
