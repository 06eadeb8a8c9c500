/**
 * Every fault stands exactly where it was asked for, so that a test of the gateway knows what its
 * upstream did.
 */
import assert from "node:assert/strict";
import { request } from "node:http";
import { after, before, test } from "node:test";
import { createSandbox, type Sandbox } from "./create-sandbox.ts";

const log: string[] = [];
let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({
    port: 0,
    host: "127.0.0.1",
    wordDelayMs: 0,
    log: (line) => log.push(line),
  });
});
after(() => sandbox.close());

interface Got {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly text: string;
  /** True: the answer ended as HTTP says; false: the connection broke. */
  readonly complete: boolean;
  /** What each read of the socket gave. */
  readonly reads: number;
}

interface Ask {
  readonly path?: string;
  readonly stream?: boolean;
  /** As a header instead of in the text. */
  readonly header?: boolean;
  /** Called with all text so far; true leaves the connection. */
  readonly leaveWhen?: (text: string) => boolean;
}

function ask(directives: string, options: Ask = {}): Promise<Got> {
  const { promise, resolve } = Promise.withResolvers<Got>();
  const { path = "/v1/chat/completions", stream = true, header = false } = options;
  const call = request(`${sandbox.url}${path}`, {
    method: "POST",
    headers: {
      "x-api-key": "k",
      "anthropic-version": "2023-06-01",
      ...(header ? { "x-sandbox": directives } : {}),
    },
  });
  let got: Got = { status: 0, headers: {}, text: "", complete: false, reads: 0 };
  call.on("error", () => resolve(got));
  call.on("response", (response) => {
    got = { ...got, status: response.statusCode ?? 0, headers: response.headers };
    const parts: Buffer[] = [];
    if (options.leaveWhen?.("") === true) call.destroy();
    response.on("data", (part: Buffer) => {
      parts.push(part);
      got = { ...got, text: Buffer.concat(parts).toString("utf8"), reads: parts.length };
      if (options.leaveWhen?.(got.text) === true) call.destroy();
    });
    response.on("error", () => undefined);
    response.on("close", () => resolve({ ...got, complete: response.complete }));
  });
  const content = `${header ? "" : `[[sandbox: ${directives}]] `}Привет 👋 one two three`;
  call.end(
    JSON.stringify({
      model: "m",
      stream,
      ...(path === "/v1/responses"
        ? { max_output_tokens: 1_000_000, input: [{ role: "user", content }] }
        : { max_tokens: 1_000_000, messages: [{ role: "user", content }] }),
      ...(stream && path.includes("chat") ? { stream_options: { include_usage: true } } : {}),
    }),
  );
  return promise;
}

const events = (got: Got): string[] => got.text.split("\n\n").filter((event) => event !== "");
const usageOf = (got: Got): unknown => (JSON.parse(got.text) as { usage?: unknown }).usage;
const untilLogged = async (pattern: RegExp): Promise<void> => {
  while (!log.some((line) => pattern.test(line)))
    await new Promise((resolve) => setImmediate(resolve));
};

/** The last event of a stream that fails at each endpoint. */
const FAILED: Readonly<Record<string, RegExp>> = {
  "/v1/chat/completions": /^data: {"error":{/,
  "/v1/messages": /^event: error\ndata: {"type":"error"/,
  "/v1/responses": /^event: (?:error|response\.failed)\ndata: {"type":"(?:error|response\.failed)"/,
};

for (const [path, failure] of Object.entries(FAILED)) {
  test(`${path}: a stream is cut, ended, spoiled or failed after exactly N events`, async () => {
    const whole = await ask("chunkDelay=0", { path });
    assert.ok(whole.complete);
    const total = events(whole).length;
    for (const place of [0, 1, 3, total - 1, total]) {
      const cut = await ask(`cut=${place}`, { path });
      assert.deepEqual(
        [cut.status, events(cut).length, cut.complete],
        [200, place, false],
        `cut=${place}`,
      );
      const ended = await ask(`end=${place}`, { path });
      assert.deepEqual([events(ended).length, ended.complete], [place, true], `end=${place}`);
      const failed = await ask(`errorEvent=${place}`, { path });
      assert.equal(events(failed).length, place + 1);
      assert.match(events(failed).at(-1) ?? "", failure);
      const spoiled = await ask(`garbage=${place}`, { path });
      assert.equal(events(spoiled).length, total + 1);
      assert.throws(() => JSON.parse((events(spoiled)[place] ?? "").slice("data: ".length)));
    }
    const first = await ask("errorFirst", { path });
    assert.equal(events(first).length, 1);
    const noDone = await ask("noDone", { path });
    assert.equal(events(noDone).length, total - 1);
    assert.ok(noDone.complete && !/\[DONE\]|message_stop|response\.completed/.test(noDone.text));
  });
}

test("a stream falls silent after N events and notices that the client leaves", async () => {
  const silent = await ask("silentAt=2", { leaveWhen: (text) => text.split("\n\n").length === 3 });
  assert.equal(events(silent).length, 2);
  await untilLogged(/200 2 events client-gone/);
});

test("leaving in the middle stops the stream", async () => {
  log.length = 0;
  await ask("tokens=100000", { leaveWhen: (text) => text.length > 1000 });
  await untilLogged(/events client-gone/);
  const written = Number(/200 (\d+) events client-gone/.exec(log.join("\n"))?.[1]);
  assert.ok(written < 100_000, `${written} events were written after the client had left`);
});

test("hang answers nothing, reset breaks the connection before any answer, headers come before silence", async () => {
  assert.deepEqual((await ask("reset")).status, 0);
  log.length = 0;
  const abort = new AbortController();
  const hanging = fetch(`${sandbox.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: "Bearer k", "x-sandbox": "hang" },
    body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "x" }] }),
    signal: abort.signal,
  });
  abort.abort();
  await assert.rejects(hanging);
  const silent = await ask("silentAt=0", { leaveWhen: () => true });
  assert.equal(silent.status, 200);
});

test("delays come before the answer and between its events; a machine under load only lengthens them", async () => {
  const started = performance.now();
  await ask("delay=60", { stream: false });
  const afterDelay = performance.now();
  assert.ok(afterDelay - started >= 55);
  const got = await ask("chunkDelay=10 tokens=5");
  assert.ok(performance.now() - afterDelay >= 9 * (events(got).length - 1));
});

test("a whole answer is cut or ended after N bytes, or is no JSON at all", async () => {
  const cut = await ask("cut=20", { stream: false });
  assert.deepEqual([Buffer.byteLength(cut.text), cut.complete], [20, false]);
  const ended = await ask("end=20", { stream: false });
  assert.deepEqual([Buffer.byteLength(ended.text), ended.complete], [20, true]);
  const garbage = await ask("garbage=0", { stream: false });
  assert.throws(() => JSON.parse(garbage.text));
  const failed = await ask("errorEvent=0", { stream: false });
  assert.equal(failed.status, 200);
  assert.ok("error" in (JSON.parse(failed.text) as object));
});

test("bodies and content types that are not what they should be", async () => {
  const html = await ask("body=html status=502");
  assert.deepEqual([html.status, html.headers["content-type"]], [502, "text/html; charset=utf-8"]);
  const empty = await ask("body=empty");
  assert.deepEqual([empty.status, empty.text, empty.complete], [200, "", true]);
  const polite = await ask("body=json-error-with-200");
  assert.equal(polite.status, 200);
  assert.ok("error" in (JSON.parse(polite.text) as object));
  const wrong = await ask('contentType="text/plain"');
  assert.equal(wrong.headers["content-type"], "text/plain");
  assert.match(wrong.text, /\[DONE\]/);
  const status = await ask("status=503 retry-after=4");
  assert.deepEqual([status.status, status.headers["retry-after"]], [503, "4"]);
});

test("slow headers and byte-by-byte slices deliver the same answer", async () => {
  const words = Buffer.from("тест 👋").toString("base64");
  const slow = await ask(`slowHeaders=5 text=${words}`, { header: true });
  assert.deepEqual(
    [slow.status, slow.headers["content-type"]],
    [200, "text/event-stream; charset=utf-8"],
  );
  const sliced = await ask(`slice=1 text=${words}`, { header: true });
  const plain = await ask(`text=${words}`, { header: true });
  const reported = (got: Got): string =>
    events(got)
      .slice(0, -1)
      .map(
        (event) =>
          (JSON.parse(event.slice(6)) as { choices: { delta: { content?: string } }[] }).choices[0]
            ?.delta.content ?? "",
      )
      .join("");
  assert.deepEqual(
    [reported(slow), reported(sliced), reported(plain)],
    ["тест 👋", "тест 👋", "тест 👋"],
  );
});

test("usage is missing, zero, impossible or exactly what was asked", async () => {
  const figures = async (
    usage: string,
    path = "/v1/chat/completions",
  ): Promise<Record<string, unknown>> =>
    (usageOf(await ask(`usage=${usage}`, { stream: false, path })) ?? { none: true }) as Record<
      string,
      unknown
    >;
  assert.deepEqual(await figures("none"), { none: true });
  assert.equal((await figures("zero")).total_tokens, 0);
  assert.equal((await figures("negative")).completion_tokens, -5);
  assert.equal(Number((await figures("fraction")).completion_tokens) % 1, 0.5);
  assert.equal((await figures("huge")).completion_tokens, 5_000_000_000);
  assert.equal((await figures("overflow")).completion_tokens, Infinity);
  assert.equal(typeof (await figures("text")).completion_tokens, "string");
  const exact = await figures("100,50,40,30");
  assert.deepEqual(
    [
      exact.prompt_tokens,
      exact.completion_tokens,
      exact.total_tokens,
      exact.prompt_tokens_details,
      (exact.completion_tokens_details as { reasoning_tokens: number }).reasoning_tokens,
    ],
    [100, 50, 150, { cached_tokens: 40, audio_tokens: 0 }, 30],
  );
  const beside = await figures("100,50,40", "/v1/messages");
  assert.deepEqual(
    [beside.input_tokens, beside.cache_read_input_tokens, beside.output_tokens],
    [60, 40, 50],
  );
});

test("a stream's usage is missing where it was asked to be, and an anthropic one can stand in one event only", async () => {
  assert.ok(!(await ask("usage=none")).text.includes("usage"));
  const path = "/v1/messages";
  const withUsage = async (usage: string): Promise<boolean[]> =>
    events(await ask(`usage=${usage}`, { path }))
      .filter((event) => /"message_(start|delta)"/.test(event))
      .map((event) => /"(input|output)_tokens":[1-9]/.test(event));
  assert.deepEqual(await withUsage("none"), [false, false]);
  assert.deepEqual(await withUsage("start"), [true, false]);
  assert.deepEqual(await withUsage("delta"), [false, true]);
});

test("tokens=N answers with exactly N tokens", async () => {
  for (const count of [0, 1, 2, 99]) {
    assert.equal(
      (usageOf(await ask(`tokens=${count}`, { stream: false })) as { completion_tokens: number })
        .completion_tokens,
      count,
    );
  }
});

test("the log has no content and no key", () => {
  assert.ok(log.length > 0);
  assert.ok(
    log.every((line) => /^POST \/v1\/\S+ m \d+ \d+ (events|answer) [a-z-]+ \d+ ms$/.test(line)),
    log.join("\n"),
  );
});
