/**
 * Guarantee: behind the HAProxy of ops/, as it is shipped, two gateways are restarted one after the
 * other under load and no request fails; no client forges its address, and no figure gets out.
 */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openMoneyScene, roubles } from "../money/money-scene.ts";
import { runHaProxy } from "../proxies/haproxy.ts";
import { findProgram, missingProgram } from "../support/find-program.ts";
import { freePort } from "../support/free-port.ts";
import type { Gateway } from "../support/gateway-process.ts";
import { LOOPBACK_PEM } from "../support/loopback-identity.ts";
import { newKey } from "../support/new-customer.ts";
import { openAiCompletion, openAiStream } from "../support/openai-stream.ts";
import { until } from "../support/until.ts";

const SHIPPED = readFileSync(join(import.meta.dirname, "../../ops/haproxy/haproxy.cfg"), "utf8");
const CLIENTS = 8;
const PAUSE_MS = 50;
/** The default with DATABASE_URL, which the shipped checks are made for. */
const GRACE_SECONDS = "10";
const ANSWER = {
  pieces: ["one", " two", " three"],
  usage: { prompt_tokens: 3, completion_tokens: 3, total_tokens: 6 },
};

interface Reply {
  /** A status, `broken`, or the error. */
  readonly outcome: string;
  readonly text: string;
}

/** One request over TLS on a connection of its own. */
function ask(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: object,
): Promise<Reply> {
  const { promise, resolve } = Promise.withResolvers<Reply>();
  const method = body === undefined ? "GET" : "POST";
  const sent = body === undefined ? {} : { "content-type": "application/json" };
  const outgoing = request(
    {
      host: "127.0.0.1",
      port,
      path,
      method,
      agent: false,
      ca: LOOPBACK_PEM,
      headers: { ...sent, ...headers },
    },
    (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("error", () => undefined);
      response.on("close", () =>
        resolve({
          outcome: response.complete ? String(response.statusCode) : "broken",
          text: Buffer.concat(parts).toString(),
        }),
      );
    },
  );
  outgoing.on("error", (error) => resolve({ outcome: String(error), text: "" }));
  outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  return promise;
}

test(
  "a rolling restart behind the shipped HAProxy loses no request, streamed or whole",
  { skip: missingProgram("haproxy"), timeout: 240_000 },
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "shipped-proxy-"));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const certificate = join(folder, "certificate.pem");
    writeFileSync(certificate, LOOPBACK_PEM);
    await using scene = await openMoneyScene(async (exchange) => {
      const { stream } = exchange.request.json() as { stream?: boolean };
      await sleep(PAUSE_MS);
      if (stream !== true) return exchange.json(200, openAiCompletion(ANSWER));
      for (const event of openAiStream(ANSWER)) {
        await exchange.send(event);
        await sleep(PAUSE_MS);
      }
      exchange.end();
    });
    const ports = { a: await freePort(), b: await freePort() };
    const start = (name: "a" | "b"): Promise<Gateway> =>
      scene.gateway(name, {
        env: {
          PORT: String(ports[name]),
          SHUTDOWN_GRACE_SECONDS: GRACE_SECONDS,
          TRUSTED_PROXIES: "127.0.0.1",
        },
      });
    const gateways = { a: await start("a"), b: await start("b") };
    const [plainPort, port] = [await freePort(), await freePort()];
    await using proxy = await runHaProxy(findProgram("haproxy") ?? "", {
      // A test is no service, and may have neither such a user to become nor 40,000 files to open.
      config: SHIPPED.replaceAll(/^ +(?:user haproxy|group haproxy|maxconn \d+)\n/gm, ""),
      url: `https://127.0.0.1:${port}`,
      backend: "gateways",
      env: {
        HTTP_BIND: `127.0.0.1:${plainPort}`,
        HTTPS_BIND: `127.0.0.1:${port}`,
        CERTIFICATES: certificate,
        GATEWAY_A: `127.0.0.1:${ports.a}`,
        GATEWAY_B: `127.0.0.1:${ports.b}`,
      },
    });
    const isUp = (name: string): Promise<unknown> => until(`${name} is up`, () => proxy.isUp(name));
    await Promise.all([isUp("a"), isUp("b")]);
    const customer = await scene.customer(roubles(100_000));
    const authorization = `Bearer ${customer.secret}`;

    assert.equal((await ask(port, "/metrics", {})).outcome, "404");
    const moved = await fetch(`http://127.0.0.1:${plainPort}/v1/models`, { redirect: "manual" });
    assert.equal(moved.status, 308);
    const elsewhere = await newKey(scene.db, customer.accountId, { ips: ["203.0.113.0/24"] });
    const forged = await ask(port, "/v1/balance", {
      authorization: `Bearer ${elsewhere.secret}`,
      "x-forwarded-for": "203.0.113.7",
    });
    assert.equal(forged.outcome, "403", forged.text);
    assert.match(forged.text, /from the address 127\.0\.0\.1\./);

    let over = false;
    const outcomes = new Map<string, number>();
    async function client(number: number): Promise<void> {
      for (let turn = 0; !over; turn += 1) {
        const stream = (number + turn) % 2 === 0;
        const { outcome } = await ask(
          port,
          "/v1/chat/completions",
          { authorization },
          {
            model: "talk",
            messages: [{ role: "user", content: "hello" }],
            ...(stream ? { stream } : { max_tokens: 10 }),
          },
        );
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      }
    }
    const load = Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
    for (const name of ["a", "b"] as const) {
      gateways[name].signal("SIGTERM");
      assert.deepEqual(await gateways[name].ended, { code: 0, signal: null });
      gateways[name] = await start(name);
      await isUp(name);
    }
    over = true;
    await load;
    const counts = JSON.stringify(Object.fromEntries(outcomes));
    t.diagnostic(counts);
    assert.deepEqual([...outcomes.keys()], ["200"], counts);
    await scene.verifyLedger();
  },
);
