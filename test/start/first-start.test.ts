/**
 * Protects: the first thing a new user does works as printed, and the second start finds everything
 * again (contract §1).
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { openAiStream } from "../support/openai-stream.ts";
import { startScriptedUpstream } from "../support/scripted-upstream.ts";
import { runInShell, secretIn, startTollgate, type Started } from "../support/start-tollgate.ts";
import { createTollgateCommand } from "../support/tollgate-command.ts";
import type { Settings } from "../support/tollgate-environment.ts";

const folder = mkdtempSync(join(tmpdir(), "start-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const start = (settings: Settings): Promise<Started> => startTollgate(folder, settings);

async function balanceOf(url: string, secret: string): Promise<unknown> {
  const answer = await fetch(`${url}/v1/balance`, { headers: { "x-api-key": secret } });
  assert.equal(answer.status, 200);
  return answer.json();
}

test("the printed curl streams an answer, the books are right, and the next start has the same balance", async () => {
  const first = await start({});
  const secret = secretIn(first.text);
  assert.ok(secret !== null, "a ready key is printed");
  assert.equal(first.text.split(secret).length, 2, "and printed once");
  assert.match(first.text, /Panel .*one-time password [0-9A-Za-z]+/);
  assert.match(first.curl, /chat\/completions/);
  const answer = await runInShell(`${first.curl} -sS`);
  assert.match(answer, /data: \{.*"delta"/);
  assert.match(answer, /data: \[DONE\]/);
  const before = (await balanceOf(first.url, secret)) as { balance: string; held: string };
  assert.notEqual(before.balance, "1000", "the answer was charged");
  assert.equal(before.held, "0");
  const command = createTollgateCommand({ DATA_DIR: join(folder, "data") });
  await command.verifyLedger();
  const account = /Account +([0-9a-f-]{36})/.exec(first.text)?.[1];
  await command.json("accounts", "create", "--name", "A customer who came later");
  assert.equal(await first.stop(), 0);

  const second = await start({});
  assert.ok(
    account !== undefined && second.text.includes(`Account  ${account}`),
    "it is still the operator's",
  );
  assert.match(second.text, /API key +tg_live_/);
  assert.equal(secretIn(second.text), null, "a secret is shown once");
  assert.deepEqual(await balanceOf(second.url, secret), before);
  assert.equal(await second.stop(), 0);
  await command.verifyLedger();
});

test("a catalogue of one's own points to any OpenAI-compatible server", async () => {
  const upstream = await startScriptedUpstream(async (exchange) => {
    assert.equal(exchange.request.path, "/custom/v1/chat/completions");
    assert.equal(exchange.request.headers.authorization, "Bearer secret-of-mine");
    await exchange.sendAll(
      openAiStream({
        pieces: ["own ", "server"],
        usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
      }),
    );
    exchange.end();
  });
  const catalogue = join(folder, "own.yaml");
  writeFileSync(
    catalogue,
    `upstreams:
  mine: { protocol: openai, baseUrl: "${upstream.url}/custom/v1", apiKeyEnv: MINE_KEY }
models:
  fast:
    type: chat
    endpoints: [chat.completions]
    contextTokens: 8000
    maxOutputTokens: 1000
    price: { input: "45", output: "180" }
    routes: [ { upstream: mine, model: the-name-there } ]
`,
  );
  const own = await start({
    CATALOGUE: catalogue,
    DATA_DIR: join(folder, "own-data"),
    MINE_KEY: "secret-of-mine",
  });
  assert.match(own.curl, /"model":"fast"/);
  assert.match(await runInShell(`${own.curl} -sS`), /own .*server.*\[DONE\]/s);
  assert.ok(!own.text.includes("secret-of-mine"));
  assert.equal(await own.stop(), 0);
  await upstream.close();
});

test("a mistake in the configuration or the catalogue ends the start with a line that says what to mend", async () => {
  const broken = join(folder, "broken.yaml");
  writeFileSync(
    broken,
    "models:\n  m: { type: chat, endpoints: [chat.completions], contextTokens: 10, maxOutputTokens: 5, routes: [ { upstream: nobody, model: x } ] }\n",
  );
  await assert.rejects(
    start({ CATALOGUE: broken, DATA_DIR: join(folder, "broken-data") }),
    /models\.m\.price[\s\S]*nobody/,
  );
  await assert.rejects(start({ PORT: "eighty" }), /PORT: a whole number/);
  const nobody = "postgresql://gateway:not-to-be-shown@127.0.0.1:1/gateway";
  await assert.rejects(start({ DATABASE_URL: nobody }), (error: Error) => {
    assert.match(error.message, /^DATABASE_URL: the database cannot be reached: .*ECONNREFUSED/m);
    assert.doesNotMatch(error.message, /not-to-be-shown/);
    return true;
  });
});
