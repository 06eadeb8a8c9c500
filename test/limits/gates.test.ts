/**
 * Guarantee: whichever kind of request a crowd of callers sends, those beyond its room are told so
 * in its protocol with retry-after, what was let in is done whole and paid exactly, and callers of
 * every other kind are served meanwhile.
 */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, test, type TestContext } from "node:test";
import { ROOM } from "../../src/http/gates.ts";
import type { Gateway } from "../support/gateway-process.ts";
import { BOUNDARY, filePart, multipartBody, multipartType } from "../support/multipart-body.ts";
import {
  logInAtPanel,
  openPanelBrowser,
  signUpAtPanel,
  type PanelPerson,
} from "../support/panel-session.ts";
import { createTollgateCommand } from "../support/tollgate-command.ts";
import { until } from "../support/until.ts";
import { openTasksScene, type TaskCustomer, type TasksScene } from "../tasks/tasks-scene.ts";

const MODEL = "nano-banana-2";
const RUSH = 600;
const OPERATOR = { email: "operator@example.test", password: "the operator's own long password" };

let scene: TasksScene;
let gateway: Gateway;
let customer: TaskCustomer;
let person: PanelPerson;
let operator: PanelPerson;

before(async () => {
  scene = await openTasksScene();
  gateway = await scene.start();
  customer = await scene.customer();
  person = await signUpAtPanel({ url: scene.url, env: gateway.env });
  const made = (await createTollgateCommand(gateway.env).json(
    ...["accounts", "create", "--name", "The house", "--email", OPERATOR.email, "--operator"],
  )) as { readonly oneTimePassword: string };
  const browser = openPanelBrowser(scene.url);
  const { email, password } = OPERATOR;
  await browser.ask("POST", "log-in", { email, password: made.oneTimePassword });
  await browser.ask("POST", "password", { current: made.oneTimePassword, next: password });
  operator = await logInAtPanel(browser, email, password);
});
after(() => scene[Symbol.asyncDispose]());

type Kind = "tasks" | "uploads" | "api" | "panel" | "operator" | "chat" | "health";

interface Reply {
  readonly status: number;
  readonly text: string;
}

/** One request of each kind, as a caller who is none of the crowd sends it. */
const BYSTANDERS: Readonly<Record<Kind, () => Promise<Reply>>> = {
  tasks: () => customer.call("POST", `/v1/quote/tasks/${MODEL}`, { prompt: "A boat." }),
  uploads: async () => {
    const body = new FormData();
    body.set("file", new Blob(["words"]), "words.txt");
    const headers = { "x-api-key": customer.secret };
    return ask("/v1/storage/upload", { method: "POST", headers, body });
  },
  api: () => customer.call("GET", "/v1/balance"),
  panel: () => person.ask("GET", "overview"),
  operator: () => operator.ask("GET", "operator/accounts"),
  chat: () => {
    const messages = [{ role: "user", content: "Hello" }];
    const chat = { model: "sandbox-small", max_tokens: 5, messages };
    return customer.call("POST", "/v1/chat/completions", chat);
  },
  health: () => ask("/healthz"),
};

/** Asks for each other kind again and again until the work is over; none may be refused. */
async function beside<T>(rushed: Kind, work: Promise<T>): Promise<T> {
  let over = false;
  const watched = work.finally(() => (over = true));
  const kinds = Object.entries(BYSTANDERS).filter(([kind]) => kind !== rushed);
  await Promise.all(
    kinds.map(async ([kind, askBeside]) => {
      do {
        const { status, text } = await askBeside();
        assert.equal(status, 200, `${kind} beside a crowd at ${rushed}: ${status} ${text}`);
      } while (!over);
    }),
  );
  return watched;
}

interface Heard extends Reply {
  readonly retryAfter: string | null;
}

async function ask(path: string, init: RequestInit = {}): Promise<Heard> {
  const response = await fetch(`${gateway.url}${path}`, init);
  const retryAfter = response.headers.get("retry-after");
  return { status: response.status, retryAfter, text: await response.text() };
}

/** As many at once as come; those who are refused, all in the same words. */
async function rush(
  kind: Kind,
  send: (n: number) => Promise<Heard>,
  words: RegExp,
): Promise<{ readonly served: readonly Heard[]; readonly refused: readonly Heard[] }> {
  const all = await beside(kind, Promise.all(Array.from({ length: RUSH }, (_, n) => send(n))));
  const served = all.filter(({ status }) => status === 200);
  const refused = all.filter(({ status }) => status === 503);
  assert.equal(served.length + refused.length, RUSH, JSON.stringify(all.map((x) => x.status)));
  assert.ok(served.length >= 1 && refused.length >= 1, `${served.length} were served`);
  for (const { text, retryAfter } of refused) {
    assert.match(text, words);
    assert.equal(retryAfter, "1");
  }
  return { served, refused };
}

async function counted(gate: string): Promise<number> {
  const response = await fetch(`${gateway.url}/metrics`);
  const found = new RegExp(`tollgate_gate_refusals\\{gate="${gate}"\\} (\\d+)`).exec(
    await response.text(),
  );
  return Number(found?.[1] ?? 0);
}

const keyed = (): Record<string, string> => ({ "x-api-key": customer.secret });

test("a crowd that orders tasks: each that was taken is one task, made and paid once", async () => {
  const buyer = await scene.customer();
  const { served, refused } = await rush(
    "tasks",
    (n) =>
      ask(`/v1/tasks/${MODEL}`, {
        method: "POST",
        headers: { "x-api-key": buyer.secret, "content-type": "application/json" },
        body: JSON.stringify({ prompt: `Boat ${n}` }),
      }),
    /"code":503,"msg":"There are more orders of tasks than/,
  );
  assert.equal(await counted("tasks"), refused.length);
  const ids = served.map(({ text }) => (JSON.parse(text) as { data: { taskId: string } }).data);
  assert.equal(new Set(ids.map(({ taskId }) => taskId)).size, served.length);
  const rows = await scene.db.query<{ count: string }>(
    "SELECT count(*) FROM tasks.tasks WHERE account_id = $1",
    [buyer.accountId],
  );
  assert.equal(Number(rows[0]?.count), served.length);
  await until(
    "all of them to be made",
    async () => Number((await buyer.money()).held) === 0,
    120_000,
  );
  const price = (await buyer.read(ids[0]?.taskId ?? "")).cost.amount;
  assert.equal(
    Math.round(Number((await buyer.money()).charged) * 1e6),
    Math.round(Number(price) * served.length * 1e6),
  );
  await scene.assertBooks();
});

test("a crowd that uploads: those whose files come are stored whole, however slowly, and one more is refused unread", async (t) => {
  // An account has a limit of its own.
  const owners = await Promise.all(Array.from({ length: 10 }, () => scene.customer()));
  const secretOf = (n: number): string => owners[n % owners.length]?.secret ?? "";
  const uploads = Array.from({ length: ROOM.uploads }, (_, n) => beginUpload(t, secretOf(n), n));
  const active = async (): Promise<number> => {
    const text = await (await fetch(`${gateway.url}/metrics`)).text();
    return Number(/tollgate_gate_waiting\{gate="uploads"\} (\d+)/.exec(text)?.[1]);
  };
  await until("all to be under way", async () => (await active()) === ROOM.uploads);
  const refusals = [0, 1, 2].map((n) => beginUpload(t, customer.secret, n));
  for (const refusal of refusals) {
    const text = await refusal.answer();
    assert.match(text, /^HTTP\/1\.1 503 [^]*\r\nretry-after: 1\r\n/i);
    assert.match(text, /"msg":"There are more uploads than/);
  }
  assert.equal(await counted("uploads"), refusals.length);
  await beside("uploads", Promise.resolve());
  for (const { end } of uploads) end();
  for (const { answer } of uploads) assert.match(await answer(), /^HTTP\/1\.1 200 /);
  const rows = await scene.db.query<{ count: string }>(
    "SELECT count(*) FROM files.files WHERE account_id = ANY ($1)",
    [owners.map(({ accountId }) => accountId)],
  );
  assert.equal(Number(rows[0]?.count), ROOM.uploads);
});

/** Sends all of a file but its end. */
function beginUpload(t: TestContext, secret: string, n: number) {
  const body = multipartBody([filePart(`words of file ${n}`, `${n}.txt`)]);
  const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1").setEncoding("latin1");
  t.after(() => socket.destroy());
  let text = "";
  socket.on("data", (part) => (text += String(part))).on("error", () => undefined);
  socket.write(
    `POST /v1/storage/upload HTTP/1.1\r\nhost: x\r\nx-api-key: ${secret}\r\n` +
      `content-type: ${multipartType(BOUNDARY)}\r\ncontent-length: ${body.length}\r\n\r\n`,
  );
  socket.write(body.subarray(0, -20));
  return {
    end: () => void socket.write(body.subarray(-20)),
    answer: () => until("an answer", async () => (text.includes("\r\n\r\n{") ? text : null)),
  };
}

test("a crowd at the API", async () => {
  const { served } = await rush(
    "api",
    () => ask("/v1/balance", { headers: keyed() }),
    /"message":"There are more requests than .*"code":"overloaded"/,
  );
  const balances = new Set(served.map(({ text }) => text));
  assert.ok([...balances].every((text) => text.includes('"currency":"RUB"')));
});

test("a crowd of members at the panel: their pages are told why in both languages", async () => {
  const headers = { cookie: person.cookie ?? "" };
  await rush(
    "panel",
    () => ask("/panel/api/overview", { headers }),
    /"code":"overloaded","reason":"gate_full",.*"params":\{"gate":"panel"\}.*"retryAfterSeconds":1/,
  );
});

test("a crowd of sessions at the operator's pages", async () => {
  const headers = { cookie: operator.cookie ?? "" };
  await rush(
    "operator",
    () => ask("/panel/api/operator/accounts", { headers }),
    /"reason":"gate_full",.*"params":\{"gate":"operator"\}/,
  );
});
