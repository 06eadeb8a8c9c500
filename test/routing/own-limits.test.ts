/**
 * Guarantee: a process that may open no more connections says so of itself: no route is blamed, and
 * as soon as there is room again it serves.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { Agent, request } from "node:http";
import { after, before, test } from "node:test";
import { openChatScene, type ChatScene } from "../support/chat-scene.ts";
import { openAiCompletion } from "../support/openai-stream.ts";

/** More than it takes for a route to be left alone. */
const TRIES = 12;
const PLENTY = 4096;

let scene: ChatScene;
before(async () => {
  scene = await openChatScene();
});
after(() => scene.close());

/** The number that its next open file or connection would have. */
function nextNumber(): number {
  const open = new Set(readdirSync(`/proc/${scene.gateway.pid}/fd`));
  let number = 0;
  while (open.has(String(number))) number += 1;
  return number;
}

/** The soft limit of the gateway's open files and connections. */
function limitFiles(count: number): void {
  const { status, stderr } = spawnSync(
    "prlimit",
    [`--pid=${scene.gateway.pid}`, `--nofile=${count}:`],
    { encoding: "utf8" },
  );
  assert.equal(status, 0, stderr);
}

const withoutPrlimit =
  spawnSync("prlimit", ["--version"]).status === 0 ? false : "prlimit is not here";

test("chat without room for a connection to its upstream", { skip: withoutPrlimit }, async () => {
  const { secret } = await scene.customer();
  const { user, requests } = scene.play((exchange) =>
    exchange.json(
      200,
      openAiCompletion({ pieces: ["hello"], usage: { prompt_tokens: 3, completion_tokens: 1 } }),
    ),
  );
  // Its own connection is there before, and stays.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = (
    method: string,
    path: string,
    body?: object,
  ): Promise<{ status: number; retryAfter: string | undefined; text: string }> =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
      const sent = request(`${scene.gateway.url}${path}`, { agent, method, headers }, (answer) => {
        let text = "";
        answer.setEncoding("utf8").on("data", (part: string) => (text += part));
        answer.on("end", () =>
          resolve({
            status: answer.statusCode ?? 0,
            retryAfter: answer.headers["retry-after"],
            text,
          }),
        );
      });
      sent.on("error", reject).end(body === undefined ? undefined : JSON.stringify(body));
    });
  const question = [{ role: "user", content: "hi" }];
  const model = "standard";
  const chat = () =>
    ask("POST", "/v1/chat/completions", { model, user, max_tokens: 5, messages: question });
  const response = () =>
    ask("POST", "/v1/responses", { model, user, max_output_tokens: 5, input: question });
  assert.equal((await ask("GET", "/healthz")).status, 200);
  limitFiles(nextNumber());
  try {
    for (let count = 0; count < TRIES; count++) {
      const { status, retryAfter, text } = await (count % 2 === 0 ? chat() : response());
      assert.deepEqual(
        [status, retryAfter, text.includes('"code":"overloaded"')],
        [503, "1", true],
        text,
      );
    }
  } finally {
    limitFiles(PLENTY);
  }
  assert.equal(requests.length, 0);
  for (const { status, text } of [await chat(), await response()]) assert.equal(status, 200, text);
  const metrics = await ask("GET", "/metrics");
  assert.doesNotMatch(metrics.text, /^tollgate_route_circuit\{route="aborting[^}]*\} [12]$/m);
  agent.destroy();
  await scene.verifyBooks();
});
