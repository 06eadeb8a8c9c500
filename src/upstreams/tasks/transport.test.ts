/**
 * Guarantee: a submission that broke is `busy` only where nothing of it can have left us; after
 * that it is `unknown`, and never sent twice.
 */
import assert from "node:assert/strict";
import { createServer as createTcpServer, type AddressInfo, type Server } from "node:net";
import { test, type TestContext } from "node:test";
import { createServer as createTlsServer } from "node:tls";
import { LOOPBACK_PEM } from "../../../test/support/loopback-identity.ts";
import {
  CREDENTIAL,
  openProviderScene,
  type ProviderScene,
  type ScriptedAnswer,
} from "../../../test/support/provider-scene.ts";
import type { SubmitOutcome } from "./task-adapter.ts";

const ACCEPTED = { code: 200, data: { taskId: "t-1" } };

async function listen(t: TestContext, server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

function submitTo(
  scene: ProviderScene,
  baseUrl: string,
  signal = AbortSignal.timeout(10_000),
): Promise<SubmitOutcome> {
  const target = scene.target({ upstream: { baseUrl } });
  return scene.adapters.kie.submit(
    target,
    { parameters: {}, attemptId: "x", callbackUrl: null, deadlineSeconds: 60 },
    signal,
  );
}

test("what never left us is busy: refused, no such name, no TLS, an untrusted certificate, stopped before it began", async (t) => {
  const scene = await openProviderScene(t);
  const plain = await listen(
    t,
    createTcpServer(
      (socket) => void socket.on("error", () => undefined).once("data", () => socket.destroy()),
    ),
  );
  const untrusted = await listen(t, createTlsServer({ key: LOOPBACK_PEM, cert: LOOPBACK_PEM }));
  for (const baseUrl of [
    "http://127.0.0.1:1",
    "http://nothing.invalid",
    `https://127.0.0.1:${plain}`,
    `https://127.0.0.1:${untrusted}`,
  ]) {
    const outcome = await submitTo(scene, baseUrl);
    assert.equal(outcome.kind, "busy", `${baseUrl}: ${JSON.stringify(outcome)}`);
  }
  assert.equal((await submitTo(scene, scene.url, AbortSignal.abort())).kind, "busy");
  assert.equal(scene.requests.length, 0);
});

test("what may have arrived is unknown: cut, reset, silent, in drops, without an end, too large, not HTTP, stopped on its way", async (t) => {
  const scene = await openProviderScene(t);
  const timeoutsMs = { connect: 300, firstByte: 300, idle: 300 };
  const whole = JSON.stringify(ACCEPTED);
  const stop = new AbortController();
  const cases: Record<string, ScriptedAnswer> = {
    "closed before the head": (exchange) => exchange.destroy(),
    "ended before the head": (exchange) => exchange.halfClose(),
    reset: (exchange) => exchange.reset(),
    silent: (exchange) => exchange.hang(),
    "not HTTP": async (exchange) => {
      await exchange.raw("SSH-2.0-x\r\n\r\n");
      exchange.halfClose();
    },
    "cut in the body": async (exchange) => {
      exchange.head(200, { "content-length": whole.length });
      await exchange.send(whole.slice(0, 20));
      exchange.destroy();
    },
    "a body without an end": async (exchange) => {
      await exchange.send(whole);
      await exchange.hang();
    },
    "in drops that never pass a deadline": async (exchange) => {
      for (const letter of whole.padEnd(200, " ")) {
        if (!(await exchange.send(letter))) return;
        await new Promise((resolve) => setTimeout(resolve, 30));
      }
      exchange.end();
    },
    "larger than 1 MB": async (exchange) => {
      await exchange.send(`${whole}${" ".repeat(1_000_001)}`);
      exchange.end();
    },
    "stopped on its way": async (exchange) => {
      stop.abort();
      await exchange.hang();
    },
  };
  for (const [what, answer] of Object.entries(cases)) {
    const before = scene.requests.length;
    scene.answerNext(answer);
    const target = scene.target({ upstream: { timeoutsMs } });
    const outcome = await scene.adapters.kie.submit(
      target,
      { parameters: {}, attemptId: "x", callbackUrl: null, deadlineSeconds: 60 },
      what === "stopped on its way" ? stop.signal : AbortSignal.timeout(10_000),
    );
    assert.ok(outcome.kind === "unknown", `${what}: ${JSON.stringify(outcome)}`);
    if (what === "stopped on its way") assert.equal(outcome.reason, "stopped");
    assert.equal(scene.requests.length, before + 1, `${what}: sent once`);
  }
});

test("an answer of just under 1 MB is read", async (t) => {
  const scene = await openProviderScene(t);
  const outcome = await scene.submit("kie", [200, JSON.stringify(ACCEPTED).padEnd(999_999, " ")]);
  assert.equal(outcome.kind, "accepted");
});

test("a poll that breaks in any of these ways has learned nothing", async (t) => {
  const scene = await openProviderScene(t);
  const answers: ScriptedAnswer[] = [
    (exchange) => exchange.destroy(),
    (exchange) => exchange.reset(),
    (exchange) => exchange.hang(),
    async (exchange) => {
      await exchange.send(" ".repeat(1_000_001));
      exchange.end();
    },
  ];
  const target = scene.target({
    upstream: { timeoutsMs: { connect: 300, firstByte: 300, idle: 300 } },
  });
  for (const answer of answers)
    assert.equal((await scene.poll("kie", [answer], { target })).kind, "unknown");
  const refused = scene.target({ upstream: { baseUrl: "http://127.0.0.1:1" } });
  assert.equal((await scene.poll("kie", [], { target: refused })).kind, "unknown");
});

test("redirects are not followed, with or without the credential", async (t) => {
  const scene = await openProviderScene(t);
  const canary = await openProviderScene(t);
  for (const status of [301, 302, 303, 307, 308]) {
    const headers = { location: `${canary.url}/taken` };
    assert.equal((await scene.submit("kie", [status, ACCEPTED, headers])).kind, "unknown");
    assert.equal((await scene.poll("kie", [[status, ACCEPTED, headers]])).kind, "unknown");
  }
  assert.equal(canary.requests.length, 0);
  assert.ok(
    scene.requests.every(({ headers }) => headers.authorization === `Bearer ${CREDENTIAL}`),
  );
});
