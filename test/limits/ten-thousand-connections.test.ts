/**
 * Guarantee: ten thousand callers who keep their connections open take little memory, keep no other
 * out, are answered whenever they ask, and leave nothing behind.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { openChatScene } from "../support/chat-scene.ts";
import { openAiCompletion } from "../support/openai-stream.ts";
import { postChat } from "../support/post-chat.ts";
import { until } from "../support/until.ts";

const WANTED = 10_000;
/** What the gateway and this process open besides. */
const BESIDES = 1_000;
/** Below, it says nothing. */
const FEWEST = 500;
/** So many at once, so that none waits longer for its turn than a connection may. */
const AT_ONCE = 250;
/** Descriptors that come and go without them: connections to the database. */
const SPARE_DESCRIPTORS = 40;

/** Of both processes alike: Node itself raises the soft limit to it. */
function mostOpenFiles(): number {
  const [, hard = "0"] =
    /^Max open files +\S+ +(\S+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
  return hard === "unlimited" ? Number.POSITIVE_INFINITY : Number(hard);
}

const skip = ((): string | false => {
  if (process.platform !== "linux") return "needs /proc";
  const room = mostOpenFiles() - BESIDES;
  return room < FEWEST ? `only ${room} connections may be open here` : false;
})();

interface Caller {
  readonly socket: Socket;
  /** Asks on its connection; resolves to the status line. */
  ask(): Promise<string>;
}

/** One connection, open until it is reset. */
async function openCaller(port: number): Promise<Caller> {
  const socket = connect(port, "127.0.0.1");
  let waiting: PromiseWithResolvers<string> | null = null;
  let received = "";
  const fail = (error: Error): void => waiting?.reject(error);
  await once(socket, "connect");
  socket.on("error", fail);
  socket.on("close", () => fail(new Error("the connection was closed")));
  socket.on("data", (bytes: Buffer) => {
    received += bytes.toString("latin1");
    const headEnd = received.indexOf("\r\n\r\n");
    const length = /content-length: (\d+)/i.exec(received)?.[1];
    if (headEnd < 0 || received.length < headEnd + 4 + Number(length)) return;
    waiting?.resolve(received.slice(0, received.indexOf("\r\n")));
    received = "";
  });
  return {
    socket,
    ask() {
      waiting = Promise.withResolvers<string>();
      socket.write("GET /healthz HTTP/1.1\r\nhost: gateway\r\n\r\n");
      return waiting.promise;
    },
  };
}

async function inTurns<T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let from = 0; from < count; from += AT_ONCE) {
    const turn = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, index) =>
      work(from + index),
    );
    results.push(...(await Promise.all(turn)));
  }
  return results;
}

test("ten thousand idle connections", { skip, timeout: 110_000 }, async (t) => {
  const count = Math.min(WANTED, mostOpenFiles() - BESIDES);
  if (count < WANTED) t.diagnostic(`${count} connections: the machine's limit of open files`);
  const scene = await openChatScene();
  const callers: Caller[] = [];
  t.after(async () => {
    for (const { socket } of callers) socket.resetAndDestroy();
    await scene.close();
  });
  const { pid, url } = scene.gateway;
  const port = Number(new URL(url).port);
  const descriptors = (): number => readdirSync(`/proc/${pid}/fd`).length;
  const residentKb = (): number =>
    Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  const { secret } = await scene.customer();
  const { user } = scene.play((exchange) =>
    exchange.json(
      200,
      openAiCompletion({ pieces: ["hello"], usage: { prompt_tokens: 3, completion_tokens: 1 } }),
    ),
  );
  const body = {
    model: "standard",
    user,
    max_tokens: 5,
    messages: [{ role: "user", content: "hi" }],
  };
  const chat = () => postChat(url, secret, body).answer;
  assert.equal((await chat()).status, 200);
  const before = { descriptors: descriptors(), residentKb: residentKb() };

  const first = await inTurns(count, async () => {
    const caller = await openCaller(port);
    callers.push(caller);
    return caller.ask();
  });
  assert.deepEqual([...new Set(first)], ["HTTP/1.1 200 OK"]);
  const open = { descriptors: descriptors(), residentKb: residentKb() };
  const opened = open.descriptors - before.descriptors;
  assert.ok(opened >= count - SPARE_DESCRIPTORS, `${opened} of them are open at once`);
  t.diagnostic(
    `${count} idle connections: RSS from ${(before.residentKb / 1024).toFixed(0)} to ${(open.residentKb / 1024).toFixed(0)} MiB, ${((open.residentKb - before.residentKb) / count).toFixed(1)} kB each`,
  );

  const answer = await chat();
  assert.equal(answer.status, 200, answer.body.toString());
  const again = await inTurns(count, async (index) => callers[index]?.ask());
  assert.deepEqual([...new Set(again)], ["HTTP/1.1 200 OK"], "on the same connections");
  for (const { socket } of callers) socket.resetAndDestroy();
  await until(
    "nothing is left of them",
    async () => descriptors() <= before.descriptors + SPARE_DESCRIPTORS,
  );
  assert.equal((await chat()).status, 200);
});
