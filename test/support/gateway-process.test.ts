/**
 * The harness keeps what other tests build on: a gateway that is ready, an end that is orderly or
 * noticed, and nothing left behind.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { testDatabase, type TestDatabase } from "./database.ts";
import { startGateway } from "./gateway-process.ts";
import { createTollgateCommand } from "./tollgate-command.ts";
import { tollgateEnvironment } from "./tollgate-environment.ts";
import { until } from "./until.ts";

const CATALOGUE = `
upstreams:
  nobody: { protocol: openai, baseUrl: "http://127.0.0.1:1/v1", apiKeyEnv: NOBODY_KEY }
models:
  quiet:
    { type: chat, endpoints: [chat.completions], contextTokens: 1000, maxOutputTokens: 100,
      price: { input: "1", output: "1" }, routes: [{ upstream: nobody, model: quiet }] }
`;

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
});
after(() => database.drop());

const options = (): Parameters<typeof startGateway>[0] => ({
  databaseUrl: database.url,
  catalogue: CATALOGUE,
  env: { NOBODY_KEY: "none" },
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test("a gateway that is started is ready, serves a customer made by the command line, and ends in order", async () => {
  await using gateway = await startGateway(options());
  const tollgate = createTollgateCommand(gateway.env);
  const { secret } = await tollgate.makeCustomer({ roubles: "12.5" });
  const answer = await fetch(`${gateway.url}/v1/balance`, {
    headers: { authorization: `Bearer ${secret}` },
  });
  const { available } = (await answer.json()) as { available: string };
  assert.equal(available, "12.5");
  await tollgate.verifyLedger();
  await gateway.stop();
  assert.deepEqual(await gateway.ended, { code: 0, signal: null });
  assert.equal(isAlive(gateway.pid), false);
});

test("kill -9 takes effect at once, and is not held against the gateway at the end of the test", async () => {
  await using gateway = await startGateway(options());
  await gateway.kill();
  assert.deepEqual(await gateway.ended, { code: null, signal: "SIGKILL" });
});

test("a gateway that cannot start fails the test with what it wrote", async () => {
  await assert.rejects(
    startGateway({ ...options(), catalogue: "models: 7\n" }),
    /ended without the awaited log line.*CATALOGUE/s,
  );
});

test("an end that was not asked for is noticed", async () => {
  const gateway = await startGateway(options());
  gateway.signal("SIGKILL");
  await gateway.ended;
  await assert.rejects(gateway.stop(), /did not end in order after SIGTERM \(SIGKILL\)/);
});

test("a test that is killed takes its gateways with it", async () => {
  const script = `
    import { startGateway } from ${JSON.stringify(join(import.meta.dirname, "gateway-process.ts"))};
    const gateway = await startGateway(${JSON.stringify(options())});
    console.log(gateway.pid);
    setInterval(() => {}, 1000);`;
  const killed = spawn(process.execPath, ["--input-type=module-typescript", "--eval", script], {
    env: tollgateEnvironment({}),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(createInterface({ input: killed.stdout }), "line")) as [string];
  const pid = Number(line);
  assert.ok(isAlive(pid));
  killed.kill("SIGKILL");
  await until("the gateway ends", () => Promise.resolve(!isAlive(pid)));
});

test("nothing of the developer's environment reaches a gateway", () => {
  process.env["OPENAI_API_KEY"] = "the developer's";
  const env = tollgateEnvironment({ PORT: "0", HOME: undefined });
  delete process.env["OPENAI_API_KEY"];
  assert.equal("OPENAI_API_KEY" in env, false);
  assert.equal("HOME" in env, false);
  assert.equal(env["PORT"], "0");
});
