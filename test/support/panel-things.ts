/**
 * Two accounts of a running gateway with one of everything that a path, a query or a body can name:
 * what tests of other people's ids are made of.
 */
import { randomBytes } from "node:crypto";
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSandbox } from "../../sandbox/create-sandbox.ts";
import type { MemberRole } from "../../src/contract/enums/member-role.ts";
import { insertPasskey } from "../../src/accounts/passkeys.store.ts";
import { newUuid } from "../../src/kernel/ids.ts";
import type { Alert } from "../../src/contract/panel/alert.ts";
import type { MemberList } from "../../src/contract/panel/members.ts";
import type { PanelGroup } from "../../src/contract/panel/panel-group.ts";
import type { PanelKeyMade } from "../../src/contract/panel/panel-key.ts";
import type { SessionList } from "../../src/contract/panel/sessions.ts";
import type { TopUpBegun } from "../../src/contract/panel/top-up.ts";
import { topUp } from "../../src/business/accounts/top-up.ts";
import { parseRoubles } from "../../src/kernel/money.ts";
import { testDatabase, type TestDatabase } from "./database.ts";
import { joinAccount } from "./join-account.ts";
import { startGateway, type Gateway } from "./gateway-process.ts";
import {
  logInAtPanel,
  newEmail,
  openPanelBrowser,
  PASSWORD,
  signUpAtPanel,
  type PanelPerson,
} from "./panel-session.ts";
import { CHAT_MODEL, TASK_MODEL, type Thing } from "./panel-routes.ts";
import type { Settings } from "./tollgate-environment.ts";
import { until } from "./until.ts";

const CATALOGUE = join(import.meta.dirname, "../../catalogue.yaml");
/** Enough for a test, and an amount that is allowed. */
const ROUBLES = "100000";
const CHAT = {
  model: CHAT_MODEL,
  max_tokens: 20,
  messages: [{ role: "user", content: "Hello" }],
};
export const TASK = { prompt: "a cat", duration: 5, resolution: "720p", generateAudio: true };

export interface PanelAccount {
  readonly accountId: string;
  readonly owner: PanelPerson;
  readonly manager: PanelPerson;
  readonly viewer: PanelPerson;
  /** Of its first key. */
  readonly secret: string;
  readonly key: PanelKeyMade["key"];
}

export interface PanelWorld extends AsyncDisposable {
  readonly gateway: Gateway;
  readonly database: TestDatabase;
  readonly env: Settings;
  newAccount(): Promise<PanelAccount>;
  /** Joins an account as an invited person does. */
  join(owner: PanelPerson, role: MemberRole): Promise<PanelPerson>;
  /** A new one, in the account. Its id, as paths have it. */
  make(thing: Thing, account: PanelAccount): Promise<string>;
  /**
   * A gateway on the same data that does nothing but answer: what changes there was changed by a
   * request.
   */
  startQuiet(env?: Settings): Promise<Gateway>;
}

export async function openPanelWorld(settings: Settings = {}): Promise<PanelWorld> {
  const database = await testDatabase();
  const folder = await mkdtemp(join(tmpdir(), "panel-things-"));
  const sandbox = await createSandbox({
    port: 0,
    host: "127.0.0.1",
    media: { queueMs: 20, runMs: 50 },
  });
  const catalogue = await readFile(CATALOGUE, "utf8");
  const env: Settings = {
    SESSION_SECRET: "s".repeat(40),
    SANDBOX_URL: sandbox.url,
    SANDBOX_API_KEY: "key-of-the-operator",
    // Everybody of this world lives on loopback.
    FETCH_ALLOW: "127.0.0.0/8",
    STORAGE_URL: `file:${join(folder, "files")}`,
    PAYMENTS_URL: `${sandbox.url}/payments`,
    PAYMENTS_SHOP_ID: "shop",
    PAYMENTS_SECRET_KEY: "key-of-the-shop",
    ...settings,
  };
  const options = { databaseUrl: database.url, catalogue, dataDir: join(folder, "data") };
  const gateway = await startGateway({ ...options, env });
  const started = [gateway];

  let alerts = 0;
  const api = (secret: string, path: string, init: RequestInit): Promise<Response> =>
    fetch(`${gateway.url}/v1/${path}`, {
      ...init,
      headers: { authorization: `Bearer ${secret}`, ...init.headers },
    });
  const json = (body: unknown): RequestInit => ({
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

  const idOf = async (answer: Response): Promise<string> => {
    const text = await answer.text();
    return (JSON.parse(text) as { id?: string }).id ?? assert.fail(text);
  };
  const sendBatchFile = async (secret: string): Promise<string> => {
    const form = new FormData();
    form.set("purpose", "batch");
    const line = { custom_id: "1", method: "POST", url: "/v1/chat/completions", body: CHAT };
    form.set("file", new File([JSON.stringify(line)], "requests.jsonl"));
    return idOf(await api(secret, "files", { method: "POST", body: form }));
  };
  const ended = (secret: string, path: string, id: string): Promise<string> =>
    until("the batch is over", async () => {
      const text = await (await api(secret, `${path}/${id}`, {})).text();
      return /status":"(ended|completed|failed)"/.test(text) && id;
    });

  const makers: Record<Thing, (account: PanelAccount) => Promise<string>> = {
    account: async ({ accountId }) => accountId,
    async session({ owner }) {
      await logInAtPanel(openPanelBrowser(gateway.url, "another browser"), owner.email, PASSWORD);
      const { data } = (await owner.ask("GET", "sessions")).json<SessionList>();
      return (data.find(({ current }) => !current) ?? assert.fail("there is no other session"))
        .sessionId;
    },
    // No authenticator is asked of its owner's.
    async passkey({ owner: { memberId } }) {
      const passkeyId = newUuid();
      const [credentialId, publicKey] = [randomBytes(16), randomBytes(77)];
      const made = { passkeyId, memberId, credentialId, publicKey, counter: 0 };
      await insertPasskey(database.db, { ...made, transports: [], name: "one more" });
      return passkeyId;
    },
    member: async ({ owner }) => (await joinAccount(gateway, owner, "viewer")).memberId,
    async invitation({ owner }) {
      const email = newEmail();
      expectBelow300(await owner.ask("POST", "members/invite", { email, role: "viewer" }));
      const { invitations } = (await owner.ask("GET", "members")).json<MemberList>();
      return (invitations.find((one) => one.email === email) ?? assert.fail("nobody is invited"))
        .invitationId;
    },
    key: async ({ owner }) =>
      expectBelow300(await owner.ask("POST", "keys", { name: "one more" })).json<PanelKeyMade>().key
        .hash,
    group: async ({ owner }) =>
      expectBelow300(await owner.ask("POST", "groups", { name: "one more" })).json<PanelGroup>().id,
    async request({ secret }) {
      const answer = await api(secret, "chat/completions", json(CHAT));
      assert.equal(answer.status, 200, await answer.text());
      return answer.headers.get("x-request-id") ?? "";
    },
    async response({ secret }) {
      const answer = await api(secret, "responses", json({ model: CHAT_MODEL, input: "Hello" }));
      const text = await answer.text();
      assert.equal(answer.status, 200, text);
      return /resp_[0-9a-f]{32}/.exec(text)?.[0] ?? assert.fail(text);
    },
    async task({ secret, owner }) {
      const answer = await api(secret, `tasks/${TASK_MODEL}`, json(TASK));
      const text = await answer.text();
      assert.ok(answer.ok, text);
      const taskId = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(text)?.[0] ?? assert.fail(text);
      await until("the task is over", async () =>
        /"state":"(completed|failed)"/.test((await owner.ask("GET", `tasks/${taskId}`)).text),
      );
      return taskId;
    },
    async file({ secret }) {
      const form = new FormData();
      form.set("file", new File(["just words"], "words.txt", { type: "text/plain" }));
      const text = await (
        await api(secret, "storage/upload", { method: "POST", body: form })
      ).text();
      return /\/static\/([^"\\]+)/.exec(text)?.[1] ?? assert.fail(text);
    },
    batchFile: ({ secret }) => sendBatchFile(secret),
    async batch({ secret }) {
      const batch = {
        input_file_id: await sendBatchFile(secret),
        endpoint: "/v1/chat/completions",
        completion_window: "24h",
      };
      return ended(secret, "batches", await idOf(await api(secret, "batches", json(batch))));
    },
    async messageBatch({ secret }) {
      const requests = [{ custom_id: "one", params: CHAT }];
      const made = await api(secret, "messages/batches", json({ requests }));
      return ended(secret, "messages/batches", await idOf(made));
    },
    topUp: async ({ owner }) =>
      expectBelow300(
        await owner.ask("POST", "top-ups", { amount: "500", method: "bank_card" }),
      ).json<TopUpBegun>().topUpId,
    alert: async ({ owner }) =>
      // Each with a threshold of its own: a twin is refused.
      expectBelow300(
        await owner.ask("POST", "alerts", {
          kind: "balance_below",
          threshold: `${(alerts += 1)}.5`,
        }),
      ).json<Alert>().alertId,
  };

  return {
    gateway,
    database,
    env,
    join: (owner, role) => joinAccount(gateway, owner, role),
    async newAccount() {
      const owner = await signUpAtPanel(gateway);
      await topUp(database.db, {
        accountId: owner.accountId,
        amountNano: parseRoubles(ROUBLES) ?? assert.fail(),
        reference: null,
      });
      const [manager, viewer] = [
        await joinAccount(gateway, owner, "manager"),
        await joinAccount(gateway, owner, "viewer"),
      ];
      const { secret, key } = expectBelow300(
        await owner.ask("POST", "keys", { name: "the first" }),
      ).json<PanelKeyMade>();
      return { accountId: owner.accountId, owner, manager, viewer, secret, key };
    },
    make: (thing, account) => makers[thing](account),
    async startQuiet(more = {}) {
      const quiet = await startGateway({ ...options, env: { ...env, ...more }, roles: "api" });
      started.push(quiet);
      return quiet;
    },
    async [Symbol.asyncDispose]() {
      for (const one of started) await one.stop();
      await sandbox.close();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function expectBelow300<A extends { readonly status: number; readonly text: string }>(
  answer: A,
): A {
  assert.ok(answer.status < 300, `${answer.status} ${answer.text}`);
  return answer;
}

/**
 * Where every process writes every few seconds that it lives, whether anybody asks it something or
 * not.
 */
const SIGNS_OF_LIFE = ["ledger.owners", "limits.owners", "operate.processes"];

/**
 * What every table holds, row by row, digested: two that are equal are of the same database.
 * Columns that a mere look changes are left out.
 */
export async function digestDatabase(
  { db }: TestDatabase,
  ignored: Readonly<Record<string, readonly string[]>>,
): Promise<Map<string, string>> {
  const tables = await db.query<{ name: string; columns: string[] }>(
    `SELECT table_schema || '.' || table_name AS name, array_agg(column_name::text ORDER BY ordinal_position) AS columns
     FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
     WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema') GROUP BY 1 ORDER BY 1`,
  );
  assert.ok(tables.length > 30);
  const digests = new Map<string, string>();
  for (const { name, columns } of tables) {
    if (SIGNS_OF_LIFE.includes(name)) continue;
    const read = columns
      .filter((column) => ignored[name]?.includes(column) !== true)
      .map((column) => `"${column}"`);
    const [row] = await db.query<{ digest: string }>(
      `SELECT count(*) || ' ' || coalesce(md5(string_agg(line, E'\n' ORDER BY line)), '') AS digest
       FROM (SELECT ROW(${read.join(", ")})::text AS line FROM ${name}) lines`,
    );
    digests.set(name, row?.digest ?? "");
  }
  return digests;
}

/**
 * What a request of a session or a key may touch by having come: when it was seen last, and by that
 * when it ends.
 */
export const TOUCHED_BY_LOOKING: Readonly<Record<string, readonly string[]>> = {
  "accounts.sessions": ["seen_at", "expires_at"],
  "keys.keys": ["last_used_at"],
};
