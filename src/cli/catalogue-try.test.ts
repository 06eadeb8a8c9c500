/**
 * Guarantee: `catalogue try` prints the call of a chat or task at each endpoint, its credential
 * only named, and calls no upstream.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { CliDeps } from "./command.ts";
import { runCli } from "./run-cli.ts";

const CATALOGUE = `
upstreams:
  open: { protocol: openai, baseUrl: "https://open.example/v1", apiKeyEnv: OPEN_KEY }
  anthro: { protocol: anthropic, baseUrl: "https://anthro.example", apiKeyEnv: ANTHRO_KEY }
  kie: { protocol: kie, baseUrl: "https://kie.example", apiKeyEnv: KIE_KEY }
  own:
    protocol: http-task
    baseUrl: https://own.example/v2
    apiKeyEnv: OWN_KEY
    task:
      auth: { query: token }
      submit: { path: "/make/{+model}", input: /arguments, id: /id, body: { /hook: "{callback}" } }
      poll: { path: "/tasks/{id}", state: { at: /state, values: { done: succeeded } }, result: { urls: /files } }
models:
  talk:
    type: chat
    endpoints: [chat.completions, messages]
    contextTokens: 8000
    maxOutputTokens: 1000
    price: { input: "1", output: "2", cacheWrite5m: "1", cacheWrite1h: "1" }
    routes:
      - { upstream: anthro, model: far-2, order: 2 }
      - { upstream: open, model: far-1 }
  picture:
    type: task
    parameters: T19
    price: { unit: image, quantity: 1, amount: "3" }
    deadlineSeconds: 600
    routes:
      - { upstream: kie, model: nano-banana-2, limits: { prompt: { minLength: 3 } } }
      - { upstream: own, model: maker/one, order: 2 }
`;
const SECRETS = {
  OPEN_KEY: "secret-open",
  ANTHRO_KEY: "secret-anthro",
  KIE_KEY: "secret-kie",
  OWN_KEY: "secret-own",
};

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function run(...argv: readonly string[]): Promise<Ran> {
  const printed = { out: "", err: "" };
  const deps: Partial<CliDeps> = {
    openDb: () => Promise.reject(new Error("the database was opened")),
    readFile: () => Promise.resolve(CATALOGUE),
    env: SECRETS,
    out: (text) => void (printed.out += `${text}\n`),
    err: (text) => void (printed.err += `${text}\n`),
    version: "1",
    debug: false,
  };
  const code = await runCli(
    ["catalogue", "try", ...argv, "--file", "catalogue.yaml"],
    deps as CliDeps,
  );
  for (const secret of Object.values(SECRETS))
    assert.ok(!`${printed.out}${printed.err}`.includes(secret), "a credential is never shown");
  return { code, ...printed };
}

interface Tried {
  readonly endpoint: string;
  readonly routes: readonly {
    readonly upstream: string;
    readonly order: number;
    readonly request: {
      readonly method: string;
      readonly url: string;
      readonly headers: Record<string, string>;
      readonly body: unknown;
    } | null;
    readonly notes: readonly string[];
  }[];
}

async function tried(...argv: readonly string[]): Promise<Tried> {
  const { code, out, err } = await run(...argv, "--json");
  assert.equal(code, 0, out + err);
  return JSON.parse(out) as Tried;
}

/** A member of the body that a route would send. */
function part(route: Tried["routes"][number] | undefined, name: string): unknown {
  return (route?.request?.body as Readonly<Record<string, unknown>> | undefined)?.[name];
}

const CHAT = JSON.stringify({ max_tokens: 10, messages: [{ role: "user", content: "Hi" }] });

test("chat: each route in order, as it is and translated, at either endpoint", async () => {
  const { endpoint, routes } = await tried("talk", CHAT);
  assert.equal(endpoint, "chat.completions");
  const [open, anthro] = routes;
  assert.deepEqual([open?.upstream, anthro?.upstream], ["open", "anthro"]);
  assert.deepEqual(
    [open?.request?.method, open?.request?.url],
    ["POST", "https://open.example/v1/chat/completions"],
  );
  assert.equal(open?.request?.headers["authorization"], "Bearer <OPEN_KEY>");
  assert.deepEqual(open?.request?.body, {
    max_tokens: 10,
    messages: [{ role: "user", content: "Hi" }],
    model: "far-1",
  });
  assert.equal(anthro?.request?.url, "https://anthro.example/v1/messages");
  assert.equal(anthro?.request?.headers["x-api-key"], "<ANTHRO_KEY>");
  assert.equal(part(anthro, "model"), "far-2");
  assert.match(anthro?.notes.join() ?? "", /translated/);

  const messages = await tried("talk", CHAT, "--endpoint", "messages");
  assert.equal(messages.endpoint, "messages");
  assert.match(messages.routes[0]?.notes.join() ?? "", /translated/);
  assert.match(messages.routes[1]?.notes.join() ?? "", /passed/);
  const streamed = await tried(
    "talk",
    JSON.stringify({ ...(JSON.parse(CHAT) as object), stream: true }),
  );
  assert.deepEqual(part(streamed.routes[0], "stream_options"), { include_usage: true });
});

test("tasks: the mapped parameters, our id and callback in their places, limits of routes said", async () => {
  const { endpoint, routes } = await tried("picture", '{"prompt":"A boat","resolution":"2K"}');
  assert.equal(endpoint, "tasks");
  const [kie, own] = routes;
  assert.deepEqual(
    [kie?.request?.method, kie?.request?.url],
    ["POST", "https://kie.example/api/v1/jobs/createTask"],
  );
  assert.equal(kie?.request?.headers["authorization"], "Bearer <KIE_KEY>");
  assert.deepEqual(kie?.request?.body, {
    model: "nano-banana-2",
    callBackUrl: "https://YOUR-GATEWAY/v1/callbacks/kie/00000000-0000-4000-8000-000000000000",
    input: { output_format: "jpg", prompt: "A boat", resolution: "2K", aspect_ratio: "9:16" },
  });
  assert.equal(own?.request?.url, "https://own.example/v2/make/maker/one?token=%3COWN_KEY%3E");
  assert.deepEqual(part(own, "arguments"), {
    prompt: "A boat",
    resolution: "2K",
    aspect_ratio: "9:16",
  });

  const limited = await tried(
    "picture",
    '{"prompt":"x","imageUrls":["https://files.example.com/a.png"]}',
  );
  assert.deepEqual(
    [limited.routes[0]?.request, limited.routes[0]?.notes],
    [null, ["'prompt' must have at least 3 characters."]],
  );
  assert.match(limited.routes[1]?.notes.join() ?? "", /our copies/);
});

test("for people: a request as it goes over the wire, a comment for each route", async () => {
  const { code, out } = await run("picture", '{"prompt":"A boat"}');
  assert.equal(code, 0);
  const [first = ""] = out.split("\n\n# ");
  assert.match(
    first,
    /^# kie, nano-banana-2 \(order 1\)\nPOST https:\/\/kie\.example\/api\/v1\/jobs\/createTask\naccept: application\/json\n/,
  );
  assert.match(first, /\nauthorization: Bearer <KIE_KEY>\n\n\{\n {2}"input": \{/);
});

test("what would be refused is refused here, with every mistake, and what is no request is wrong usage", async () => {
  const mistaken = await run("picture", '{"promt":"A boat","resolution":"8K"}', "--json");
  assert.equal(mistaken.code, 1);
  const { errors } = JSON.parse(mistaken.out) as { errors: { param: string; code: string }[] };
  assert.deepEqual(
    errors.map(({ param, code }) => `${param} ${code}`),
    ["prompt required", "resolution enum", "promt unknown_parameter"],
  );
  assert.equal((await run("talk", "{}")).code, 1);
  assert.match((await run("nothing", CHAT)).out, /There is no model "nothing"/);
  for (const argv of [
    ["talk", "no json"],
    ["talk", "[]"],
    ["talk", CHAT, "--endpoint", "tasks"],
    ["picture", "{}", "--endpoint", "messages"],
    ["talk"],
  ]) {
    assert.equal((await run(...argv)).code, 2, argv.join(" "));
  }
});
