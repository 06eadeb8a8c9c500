/**
 * Protects: on every hop of every call the guard's word holds, nothing of one hop is told to the
 * next, and an end of any kind is an end of all.
 */
import assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { after, test } from "node:test";
import { LOOPBACK_PEM } from "../../test/support/loopback-identity.ts";
import { Fault } from "../kernel/faults.ts";
import { until } from "../../test/support/until.ts";
import type { FetchRefusal } from "./fetch-refusal.ts";
import { answerOf, createPeers, type Answer } from "../../test/support/loopback-peers.ts";
import {
  createSafeFetch,
  type FetchedFile,
  type SafeFetch,
  type SafeFetchOptions,
} from "./safe-fetch.ts";

/** A second address of loopback; other systems than Linux have but one of IPv4. */
const SECOND = process.platform === "linux" ? "127.0.0.2" : "::1";
/**
 * For what is to come too late; all else has the limits of production, so that a busy machine
 * refuses nothing.
 */
const IMPATIENT = { nameMs: 400, connectMs: 400, headersMs: 400 };
const CALL = { maxBytes: 100_000, deadlineMs: 15_000 };

const peers = createPeers();
const fetchers: SafeFetch[] = [];
after(async () => {
  await Promise.all(fetchers.map((fetcher) => fetcher.close()));
  await until("all connections are closed", async () => peers.open() === 0);
  await peers.close();
});

function fetcherWith(options: Partial<SafeFetchOptions> = {}): SafeFetch {
  const fetcher = createSafeFetch({ allow: ["127.0.0.0/8"], ...options });
  fetchers.push(fetcher);
  return fetcher;
}

async function read(file: FetchedFile): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of file.body as AsyncIterable<Buffer>) pieces.push(piece);
  return Buffer.concat(pieces).toString("latin1");
}

function redirectTo(location: string, status = 302): Answer {
  return answerOf(status, { location, "set-cookie": "session=secret" }, "moved");
}

/** Answers by path; the last answer for every other. */
function byPath(answers: Readonly<Record<string, Answer>>, other: Answer): Answer {
  return (socket, request) => (answers[request.split(" ")[1] ?? ""] ?? other)(socket, request);
}

test("three redirects are followed: absolute, relative, and in letters of any language", async () => {
  const second = await peers.listen(
    byPath({ "/dir/third": redirectTo("../кот.png?a=1", 308) }, answerOf(200, {}, "cat")),
  );
  const first = await peers.listen(
    byPath(
      { "/": redirectTo("next", 301) },
      redirectTo(`http://${second.host}/dir/third#part`, 307),
    ),
  );
  const file = await fetcherWith().get(`http://${first.host}/`, CALL);
  assert.equal(file.url, `http://${second.host}/%D0%BA%D0%BE%D1%82.png?a=1`);
  assert.equal(await read(file), "cat");
  assert.deepEqual([first.visits, second.visits], [2, 2]);
  // Nothing but the same few headers, whatever a hop has set.
  for (const request of [...first.requests, ...second.requests]) {
    const names = [...request.matchAll(/^([\w-]+):/gm)].map((match) => match[1]);
    assert.deepEqual(names.toSorted(), [
      "accept",
      "accept-encoding",
      "connection",
      "host",
      "user-agent",
    ]);
    assert.match(request, /accept-encoding: identity\r\n/);
    assert.match(request, /connection: close\r\n/);
  }
});

test("a redirect may lead to the long address that an object storage signs, and a provider may name one, but a caller may not", async () => {
  const signed = (length: number): string =>
    `/file?token=${"a".repeat(length - "/file?token=".length)}`;
  const there = await peers.listen(answerOf(200, {}, "cat"));
  const to = (length: number): string =>
    `http://${there.host}${signed(length - `http://${there.host}`.length)}`;
  const ways = await peers.listen(
    byPath(
      { "/long": redirectTo(to(8192)), "/longer": redirectTo(to(8193)) },
      answerOf(404, {}, ""),
    ),
  );
  const fetcher = fetcherWith();
  assert.equal(await read(await fetcher.get(`http://${ways.host}/long`, CALL)), "cat");
  await assert.rejects(fetcher.get(`http://${ways.host}/longer`, CALL), {
    rule: "url_too_long",
    message: /redirect/,
  });
  assert.equal(await read(await fetcher.get(to(8192), { ...CALL, byServer: true })), "cat");
  await assert.rejects(fetcher.get(to(8193), { ...CALL, byServer: true }), {
    rule: "url_too_long",
  });
  await assert.rejects(fetcher.get(to(2049), CALL), { rule: "url_too_long" });
});

test("a fourth redirect is one too many, as are loops, and any where none are wanted", async () => {
  const loop = await peers.listen(redirectTo("/again"));
  const fetcher = fetcherWith();
  await assert.rejects(fetcher.get(`http://${loop.host}/`, CALL), { rule: "too_many_redirects" });
  assert.equal(loop.visits, 4);
  await assert.rejects(fetcher.get(`http://${loop.host}/`, { ...CALL, maxRedirects: 0 }), {
    rule: "too_many_redirects",
  });
  assert.equal(loop.visits, 5);
  const there = await peers.listen((socket) => redirectTo(`http://${back.host}/`)(socket, ""));
  const back = await peers.listen(redirectTo(`http://${there.host}/`));
  await assert.rejects(fetcher.get(`http://${there.host}/`, CALL), { rule: "too_many_redirects" });
});

test("a redirect that does not say where is refused", async () => {
  for (const answer of [
    answerOf(302),
    answerOf(301, { location: "" }),
    ((socket) =>
      socket.end("HTTP/1.1 302 Found\r\nlocation: /a\r\nlocation: /b\r\n\r\n")) as Answer,
  ]) {
    const peer = await peers.listen(answer);
    await assert.rejects(fetcherWith().get(`http://${peer.host}/`, CALL), {
      rule: "redirect_target",
    });
  }
});

test("https is verified, goes on to https, is gone up to, and is never stepped down from", async () => {
  const plain = await peers.listen(answerOf(200, {}, "plain"));
  const secure = await peers.listen(
    byPath(
      { "/down": redirectTo(`http://${plain.host}/`), "/on": redirectTo("/file") },
      answerOf(200, {}, "secure"),
    ),
    { tls: LOOPBACK_PEM },
  );
  const up = await peers.listen(redirectTo(`https://${secure.host}/file`));
  const trusting = fetcherWith({ ca: LOOPBACK_PEM, resolve: async () => ["127.0.0.1"] });
  assert.equal(await read(await trusting.get(`https://${secure.host}/on`, CALL)), "secure");
  assert.equal(await read(await trusting.get(`http://${up.host}/`, CALL)), "secure");
  await assert.rejects(trusting.get(`https://${secure.host}/down`, CALL), {
    rule: "redirect_downgrade",
  });
  assert.equal(plain.visits, 0);
  // The certificate is for 127.0.0.1, and no authority has signed it.
  await assert.rejects(trusting.get(`https://files.example.com:${secure.port}/file`, CALL), {
    rule: "tls_failed",
  });
  assert.deepEqual(secure.serverNames, ["files.example.com"]);
  await assert.rejects(fetcherWith().get(`https://${secure.host}/file`, CALL), {
    rule: "tls_failed",
  });
  await assert.rejects(trusting.get(`https://${plain.host}/`, CALL), { rule: "tls_failed" });
  assert.equal(secure.requests.length, 4);
});

test("a name is resolved once for each hop, and the connection goes to what was checked", async () => {
  const answers = [[SECOND], ["127.0.0.1"]];
  let asked = 0;
  const good = await peers.listen(answerOf(200, {}, "good"), { address: SECOND });
  const canary = await peers.listen(answerOf(200, {}, "inside"), { port: good.port });
  const fetcher = fetcherWith({ allow: [SECOND], resolve: async () => answers[asked++] ?? [] });
  // A resolver that flips: were it asked again between the check and the connection, it would be
  // the canary.
  assert.equal(
    await read(await fetcher.get(`http://flip.example.com:${good.port}/`, CALL)),
    "good",
  );
  assert.equal(asked, 1);
  await assert.rejects(fetcher.get(`http://flip.example.com:${good.port}/`, CALL), {
    rule: "name_not_public",
  });
  assert.equal(canary.visits, 0);
  assert.match(good.requests[0]!, new RegExp(`\r\nhost: flip\\.example\\.com:${good.port}\r\n`));
});

test("a name is resolved and checked anew after a redirect to itself", async () => {
  let asked = 0;
  const good = await peers.listen(redirectTo("/again"), { address: SECOND });
  const canary = await peers.listen(answerOf(200, {}, "inside"), { port: good.port });
  const fetcher = fetcherWith({
    allow: [SECOND],
    resolve: async () => [asked++ === 0 ? SECOND : "127.0.0.1"],
  });
  await assert.rejects(fetcher.get(`http://flip.example.com:${good.port}/`, CALL), {
    rule: "name_not_public",
    message: /redirect/,
  });
  assert.deepEqual([good.visits, canary.visits, asked], [1, 0, 2]);
});

test("of several addresses, those that take no connection are passed over", async () => {
  const peer = await peers.listen(answerOf(200, {}, "here"));
  const fetcher = fetcherWith({
    resolve: async () => [SECOND === "::1" ? "127.0.0.1" : SECOND, "127.0.0.1"],
  });
  assert.equal(await read(await fetcher.get(`http://two.example.com:${peer.port}/`, CALL)), "here");
});

test("a port besides the web's needs an address that the operator allowed", async () => {
  const fetcher = fetcherWith({
    resolve: async (name) => (name.startsWith("mixed") ? ["127.0.0.1", "8.8.8.8"] : ["8.8.8.8"]),
  });
  await assert.rejects(fetcher.get("http://public.example.com:8080/", CALL), { rule: "port" });
  await assert.rejects(fetcher.get("http://mixed.example.com:8080/", CALL), { rule: "port" });
});

test("names that do not exist, resolvers that fail, and resolvers that hang", async () => {
  let reported: AbortSignal | null = null;
  const fetcher = fetcherWith({
    limits: IMPATIENT,
    resolve: (name, signal) => {
      reported = signal;
      if (name.startsWith("empty")) return Promise.resolve([]);
      if (name.startsWith("broken")) return Promise.reject(new Error("SERVFAIL from 10.0.0.53"));
      return new Promise(() => undefined);
    },
  });
  // No such name: for certain, so that no caller waits for another try.
  await assert.rejects(fetcher.get("http://empty.example.com/", CALL), {
    rule: "name_not_found",
    transient: false,
  });
  await assert.rejects(fetcher.get("http://broken.example.com/", CALL), (error: FetchRefusal) => {
    assert.deepEqual([error.rule, error.transient], ["name_not_found", true]);
    assert.doesNotMatch(error.message, /10\.0/);
    return true;
  });
  await assert.rejects(fetcher.get("http://hanging.example.com/", CALL), { rule: "name_timeout" });
  assert.ok(reported!.aborted, "the resolver is told to stop");
  await assert.rejects(fetcher.get("http://hanging.example.com/", { ...CALL, deadlineMs: 100 }), {
    rule: "deadline",
  });
});

test("servers that take no connection, or no secure one", async () => {
  const gone = await peers.listen(null);
  const closed = createPeers();
  const { host } = await closed.listen(null);
  await closed.close();
  await assert.rejects(fetcherWith().get(`http://${host}/`, CALL), { rule: "connect_failed" });
  await assert.rejects(fetcherWith({ limits: IMPATIENT }).get(`https://${gone.host}/`, CALL), {
    rule: "connect_timeout",
  });
});

test("no more than so many fetches from one host at once, and those of others and posts do not wait", async () => {
  const held: (() => void)[] = [];
  const hold: Answer = (socket) => {
    socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\na");
    held.push(() => socket.end("b"));
  };
  const peer = await peers.listen(hold);
  const fetcher = fetcherWith({ limits: { perHost: 2 }, resolve: async () => ["127.0.0.1"] });
  const reads = Array.from({ length: 5 }, () =>
    fetcher.get(`http://busy.example.com:${peer.port}/`, CALL).then(read),
  );
  await until("two are under way", async () => held.length === 2);
  const other = fetcher.get(`http://other.example.com:${peer.port}/`, CALL).then(read);
  const post = fetcher.post(`http://busy.example.com:${peer.port}/`, {
    headers: {},
    body: "",
    deadlineMs: 15_000,
    maxAnswerBytes: 10,
  });
  await until("others do not wait", async () => held.length === 4);
  await assert.rejects(
    fetcher.get(`http://busy.example.com:${peer.port}/`, { ...CALL, deadlineMs: 100 }),
    { rule: "host_busy" },
  );
  assert.equal(held.length, 4, "the third waits");
  for (const release of held.splice(0)) release();
  assert.equal((await post).body.toString(), "ab");
  await until("the next two", async () => held.length === 2);
  for (const release of held.splice(0)) release();
  await until("the last", async () => held.length === 1);
  for (const release of held.splice(0)) release();
  assert.deepEqual(await Promise.all([...reads, other]), ["ab", "ab", "ab", "ab", "ab", "ab"]);
});

test("a place is given back by a refusal, by an abort, and by a reader that stops", async () => {
  const peer = await peers.listen((socket, request) => {
    if (request.startsWith("GET /missing")) answerOf(404)(socket, request);
    else if (request.startsWith("GET /file"))
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\na");
  });
  const fetcher = fetcherWith({ limits: { perHost: 1 } });
  for (let round = 0; round < 3; round += 1) {
    await assert.rejects(fetcher.get(`http://${peer.host}/missing`, CALL), { rule: "status" });
    await assert.rejects(
      fetcher.get(`http://${peer.host}/silent`, { ...CALL, signal: AbortSignal.timeout(50) }),
      { name: "TimeoutError" },
    );
    const waits = fetcher.get(`http://${peer.host}/file`, { ...CALL, maxBytes: 5 });
    await assert.rejects(waits, { rule: "too_large" });
    (await fetcher.get(`http://${peer.host}/file`, CALL)).body.destroy();
  }
  await until("the connections are closed", async () => peer.open === 0);
});

test("an abort is heard at once in every phase, as the reason that was given, and closes the connection", async () => {
  const silent = await peers.listen(null);
  const half = await peers.listen((socket) =>
    socket.write("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\na"),
  );
  const fetcher = fetcherWith({
    resolve: () => new Promise(() => undefined),
  });
  for (const url of [
    "http://hanging.example.com/",
    `https://${silent.host}/`,
    `http://${silent.host}/`,
    `http://${half.host}/`,
  ]) {
    const abort = new AbortController();
    const reason = new Error("changed my mind");
    const began = performance.now();
    const reading = fetcher.get(url, { ...CALL, signal: abort.signal }).then(read);
    setTimeout(() => abort.abort(reason), 100);
    await assert.rejects(reading, (error) => error === reason, url);
    assert.ok(performance.now() - began < 3000, url);
  }
  await assert.rejects(
    fetcher.get(`http://${silent.host}/`, {
      ...CALL,
      signal: AbortSignal.abort(new Error("before")),
    }),
    {
      message: "before",
    },
  );
  await until("the connections are closed", async () => silent.open + half.open === 0);
  assert.equal(silent.visits, 2);
});

test("closing breaks off all that is under way, also what waits to be read, and leaves no socket", async () => {
  const silent = await peers.listen(null);
  const half = await peers.listen((socket) =>
    socket.write("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\na"),
  );
  const whole = await peers.listen(answerOf(200, {}, "whole"));
  const fetcher = fetcherWith({
    resolve: () => new Promise(() => undefined),
  });
  const begun: Socket[] = [];
  function note(message: unknown): void {
    begun.push((message as { socket: Socket }).socket);
  }
  subscribe("net.client.socket", note);
  const options = { headers: {}, body: "", deadlineMs: 15_000, maxAnswerBytes: 10 };
  const ends = [
    fetcher.get("http://hanging.example.com/", CALL),
    fetcher.get(`http://${silent.host}/`, CALL),
    fetcher.post(`http://${silent.host}/`, options),
    fetcher.get(`http://${half.host}/`, CALL).then(read),
  ].map((call) =>
    call.then(
      () => null,
      (error: unknown) => error,
    ),
  );
  const unread = await fetcher.get(`http://${whole.host}/`, CALL);
  await until(
    "all are under way",
    async () => silent.visits === 2 && half.visits === 1 && whole.open === 0,
  );
  await fetcher.close();
  unsubscribe("net.client.socket", note);
  assert.equal(begun.length, 4);
  assert.ok(begun.every((socket) => socket.closed));
  assert.deepEqual(
    (await Promise.all(ends)).map((error) => error instanceof Fault && error.code),
    [true, true, true, true].map(() => "overloaded"),
  );
  assert.ok(unread.body.destroyed);
  await until("the connections are closed", async () => silent.open + half.open === 0);
  await assert.rejects(fetcher.get(`http://${whole.host}/`, CALL), { code: "overloaded" });
  await assert.rejects(fetcher.post(`http://${whole.host}/`, options), { code: "overloaded" });
});

test("a post is delivered as it is, and its answer taken whatever it is", async () => {
  const target = await peers.listen(answerOf(200));
  for (const [status, location] of [
    [200, ""],
    [404, ""],
    [500, ""],
    [302, `http://${target.host}/`],
    [307, `http://${target.host}/`],
  ] as const) {
    const peer = await peers.listen(answerOf(status, { location, "x-id": "7" }, "thanks"));
    const answer = await fetcherWith().post(`http://${peer.host}/hook?a=b`, {
      headers: { "content-type": "application/json", "webhook-id": "msg_1" },
      body: '{"текст":1}',
      deadlineMs: 15_000,
      maxAnswerBytes: 100,
    });
    assert.deepEqual(
      [answer.status, answer.headers["x-id"], answer.body.toString(), answer.cut],
      [status, "7", "thanks", false],
    );
    const request = Buffer.from(peer.requests[0]!, "latin1").toString("utf8");
    assert.match(request, /^POST \/hook\?a=b HTTP\/1\.1\r\n/);
    assert.match(request, /\r\nwebhook-id: msg_1\r\n/);
    assert.match(request, /\r\ncontent-length: 16\r\n\r\n\{"текст":1\}$/);
  }
  assert.equal(target.visits, 0);
});

test("a post takes no more of the answer than it was told, and waits for it until its deadline", async () => {
  const endless = await peers.listen((socket) => {
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
    const piece = Buffer.alloc(64 * 1024, "x");
    function more(): void {
      while (socket.writable && socket.write(piece));
    }
    socket.on("drain", more);
    more();
  });
  const options = { headers: {}, body: "{}", deadlineMs: 15_000, maxAnswerBytes: 1000 };
  const answer = await fetcherWith().post(`http://${endless.host}/`, options);
  assert.deepEqual([answer.body.length, answer.cut], [1000, true]);
  await until("the connection is closed", async () => endless.open === 0);
  // Longer than headers of a download may take.
  const slow = await peers.listen(
    (socket, request) =>
      void setTimeout(() => answerOf(204)(socket, request), IMPATIENT.headersMs + 200),
  );
  assert.equal(
    (await fetcherWith({ limits: IMPATIENT }).post(`http://${slow.host}/`, options)).status,
    204,
  );
  await assert.rejects(
    fetcherWith().post(`http://${slow.host}/`, { ...options, deadlineMs: 200 }),
    { rule: "deadline" },
  );
});

test("a status counts though its body breaks off, stops or does not come in time; who gives up gets no answer", async () => {
  const head = "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nthan";
  const broken = await peers.listen((socket) => socket.write(head, () => socket.destroy()));
  const stuck = await peers.listen((socket) => void socket.write(head));
  const options = { headers: {}, body: "{}", deadlineMs: 300, maxAnswerBytes: 1000 };
  for (const [host, more] of [
    [broken.host, { deadlineMs: 15_000 }],
    [stuck.host, {}],
  ] as const) {
    const answer = await fetcherWith().post(`http://${host}/`, { ...options, ...more });
    assert.deepEqual([answer.status, answer.body.toString(), answer.cut], [200, "than", true]);
  }
  const signal = AbortSignal.timeout(200);
  await assert.rejects(
    fetcherWith().post(`http://${stuck.host}/`, { ...options, deadlineMs: 15_000, signal }),
    { name: "TimeoutError" },
  );
});

test("a post is refused for the same addresses, and may not set what frames a request", async () => {
  const canary = await peers.listen(answerOf(200));
  const options = { headers: {}, body: "{}", deadlineMs: 15_000, maxAnswerBytes: 1000 };
  const fetcher = fetcherWith({
    allow: [],
    ports: [canary.port],
    resolve: async () => ["127.0.0.1"],
  });
  await assert.rejects(fetcher.post(`http://${canary.host}/`, options), {
    rule: "address_not_public",
  });
  await assert.rejects(fetcher.post(`http://hook.example.com:${canary.port}/`, options), {
    rule: "name_not_public",
  });
  await assert.rejects(fetcher.post("ftp://example.com/", options), { rule: "scheme" });
  assert.equal(canary.visits, 0);
  for (const name of ["Host", "content-length", "Transfer-Encoding", "connection"]) {
    await assert.rejects(
      fetcher.post(`http://${canary.host}/`, {
        ...options,
        headers: { [name]: "x" },
        allowHosts: [canary.host],
      }),
      /is set by the connection/,
    );
  }
});

test("a host that the operator named is found as any program of the machine finds it", async () => {
  const peer = await peers.listen(answerOf(200, {}, "ours"));
  const allowHosts = [`localhost:${peer.port}`];
  const fetcher = createSafeFetch({ allow: [] });
  fetchers.push(fetcher);
  assert.equal(
    await read(await fetcher.get(`http://localhost:${peer.port}/`, { ...CALL, allowHosts })),
    "ours",
  );
  await assert.rejects(fetcher.get(`http://localhost:${peer.port}/`, CALL), {
    rule: "internal_name",
  });
});

test("ranges that are none are told of when the fetcher is made", () => {
  assert.throws(
    () => createSafeFetch({ allow: ["everything"] }),
    /"everything" is not an address range/,
  );
  assert.throws(
    () => createSafeFetch({ allow: [], deny: ["1.2.3.4/40"] }),
    /"1.2.3.4\/40" is not an address range/,
  );
});
