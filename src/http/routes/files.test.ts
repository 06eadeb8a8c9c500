/**
 * Stored files to any client with their name: ranges, conditions, headers that let nothing run,
 * ends, nothing left open (contract §8).
 */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { Readable } from "node:stream";
import { after, before, test } from "node:test";
import { openHttpEndpoint, type HttpEndpoint } from "../../../test/support/http-endpoint.ts";
import { memoryFiles } from "../../../test/support/memory-files.ts";
import { until } from "../../../test/support/until.ts";
import { TaskErrorBody } from "../../contract/error-bodies.ts";
import { createMistakeFinder } from "../../contract/find-mistakes.ts";

const files = memoryFiles();
let endpoint: HttpEndpoint;
before(async () => {
  endpoint = await openHttpEndpoint({ files });
});
after(() => endpoint.close());

const BODY = Buffer.from(Array.from({ length: 100_000 }, (_, at) => at % 251));
const PNG = { contentType: "image/png", inline: true } as const;

async function read(name: string, headers: Record<string, string> = {}, method = "GET") {
  const response = await fetch(`${endpoint.url}/static/${name}`, {
    method,
    headers,
    redirect: "manual",
  });
  return {
    status: response.status,
    headers: response.headers,
    bytes: Buffer.from(await response.arrayBuffer()),
  };
}

const SAFE = {
  "content-security-policy": "default-src 'none'; sandbox",
  "cross-origin-resource-policy": "cross-origin",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "x-robots-tag": "noindex",
  "access-control-allow-origin": "*",
};

function assertSafe(headers: Headers): void {
  for (const [name, value] of Object.entries(SAFE)) assert.equal(headers.get(name), value, name);
  assert.equal(headers.get("set-cookie"), null);
}

test("the whole file, with what it is, how long it is there and nothing that lets it run", async () => {
  const file = files.keep({ body: BODY, ...PNG, fileName: "моё (1).png" });
  const { status, headers, bytes } = await read(file.name);
  assert.deepEqual([status, bytes.equals(BODY)], [200, true]);
  assertSafe(headers);
  assert.deepEqual(
    ["content-type", "content-length", "accept-ranges", "etag", "last-modified"].map((name) =>
      headers.get(name),
    ),
    ["image/png", "100000", "bytes", `"${file.sha256.slice(0, 32)}"`, file.storedAt.toUTCString()],
  );
  assert.match(headers.get("cache-control") ?? "", /^public, max-age=3[56]\d\d, immutable$/);
  assert.equal(
    headers.get("content-disposition"),
    `inline; filename="___ (1).png"; filename*=UTF-8''%D0%BC%D0%BE%D1%91%20%281%29.png`,
  );
});

test("what a browser could run is only ever saved, whatever its row says of it", async () => {
  for (const [contentType, inline] of [
    ["text/html", true],
    ["image/svg+xml", true],
    ["application/xml", true],
    ["application/pdf", true],
    ["image/png; charset=utf-8", true],
    ["image/png", false],
    ["application/octet-stream", false],
  ] as const) {
    const file = files.keep({
      body: BODY,
      contentType,
      inline,
      fileName: 'x".html\r\nset-cookie: a=b',
    });
    const { headers } = await read(file.name);
    assert.equal(headers.get("content-type"), "application/octet-stream", contentType);
    assert.match(headers.get("content-disposition") ?? "", /^attachment; filename="x_/);
    assertSafe(headers);
  }
});

test("ranges give exactly their bytes; what is behind the end is a 416 that tells the size", async () => {
  const { name } = files.keep({ body: BODY, ...PNG });
  for (const [range, first, last] of [
    ["bytes=0-0", 0, 0],
    ["bytes=10-19999", 10, 19_999],
    ["bytes=99990-", 99_990, 99_999],
    ["bytes=-7", 99_993, 99_999],
    ["bytes=5-999999", 5, 99_999],
  ] as const) {
    const { status, headers, bytes } = await read(name, { range });
    assert.deepEqual(
      [status, headers.get("content-range")],
      [206, `bytes ${first}-${last}/100000`],
    );
    assert.ok(bytes.equals(BODY.subarray(first, last + 1)));
    assertSafe(headers);
  }
  const several = await read(name, { range: "bytes=0-1,5-6" });
  assert.deepEqual([several.status, several.bytes.length], [200, BODY.length]);
  const behind = await read(name, { range: "bytes=100000-" });
  assert.deepEqual(
    [behind.status, behind.headers.get("content-range"), behind.headers.get("cache-control")],
    [416, "bytes */100000", "no-store"],
  );
  assert.deepEqual(createMistakeFinder(TaskErrorBody)(JSON.parse(behind.bytes.toString())), []);
});

test("conditions: 304 without a body, 412, and a range only of the very file", async () => {
  const file = files.keep({ body: BODY, ...PNG });
  const etag = `"${file.sha256.slice(0, 32)}"`;
  const known = await read(file.name, { "if-none-match": etag, range: "bytes=0-5" });
  assert.deepEqual(
    [
      known.status,
      known.bytes.length,
      known.headers.get("etag"),
      known.headers.get("content-length"),
    ],
    [304, 0, etag, null],
  );
  assert.match(known.headers.get("cache-control") ?? "", /^public, max-age/);
  assert.equal(
    (await read(file.name, { "if-modified-since": file.storedAt.toUTCString() })).status,
    304,
  );
  assert.equal((await read(file.name, { "if-match": '"other"' })).status, 412);
  assert.equal((await read(file.name, { range: "bytes=0-5", "if-range": etag })).status, 206);
  assert.equal((await read(file.name, { range: "bytes=0-5", "if-range": '"other"' })).status, 200);
});

test("HEAD tells all and opens nothing", async (t) => {
  let opened = 0;
  const counting = memoryFiles();
  const own = await openHttpEndpoint({
    files: {
      ...counting,
      readFile: async () => ((opened += 1), Readable.from([BODY])),
      fileRedirect: async () => "https://elsewhere.example/x",
    },
  });
  t.after(() => own.close());
  const file = counting.keep({ body: BODY, ...PNG });
  for (const range of [undefined, "bytes=5-9"]) {
    const head = await fetch(`${own.url}/static/${file.name}`, {
      method: "HEAD",
      redirect: "manual",
      headers: range === undefined ? {} : { range },
    });
    // A range is asked of GET alone (RFC 9110 §14.2).
    assert.deepEqual(
      [head.status, head.headers.get("content-length"), head.headers.get("content-range")],
      [200, "100000", null],
    );
    assertSafe(head.headers);
  }
  assert.equal(opened, 0);
});

test("where the storage gives it itself, readers are sent there, and no cache keeps the way", async () => {
  const file = files.keep({ body: BODY, ...PNG });
  files.redirect = "https://bucket.example/key?signature=x";
  const { status, headers, bytes } = await read(file.name, { range: "bytes=0-5" });
  assert.deepEqual(
    [status, headers.get("location"), headers.get("cache-control"), bytes.length],
    [302, files.redirect, "no-store", 0],
  );
  assert.equal((await read(file.name, { "if-none-match": "*" })).status, 304);
  assert.equal((await read(file.name, {}, "HEAD")).status, 200);
  files.redirect = null;
});

test("over is a 410, never there is a 404, both are kept by no cache and in the form of their family", async () => {
  const over = files.keep({ body: BODY, expiresAt: new Date(Date.now() - 1000) });
  for (const [name, expected] of [
    [over.name, 410],
    ["nothing.png", 404],
    ["..%2f..%2fetc%2fpasswd", 404],
    ["%00", 404],
    ["a".repeat(12_000), 404],
  ] as const) {
    for (const method of ["GET", "HEAD"]) {
      const { status, headers, bytes } = await read(name, {}, method);
      assert.deepEqual(
        [status, headers.get("cache-control")],
        [expected, "no-store"],
        name.slice(0, 40),
      );
      assertSafe(headers);
      if (method === "GET")
        assert.deepEqual(createMistakeFinder(TaskErrorBody)(JSON.parse(bytes.toString())), []);
    }
  }
  assert.equal((await read("a/b")).status, 404);
  assert.equal((await read("")).status, 404);
  const wrong = await read(over.name, {}, "POST");
  assert.deepEqual([wrong.status, wrong.headers.get("allow")], [405, "GET, HEAD, OPTIONS"]);
});

test("a page of another origin may ask for ranges; nothing that needs a key may be asked for from a page", async () => {
  const ask = (path: string) =>
    fetch(`${endpoint.url}${path}`, {
      method: "OPTIONS",
      headers: { origin: "https://site.example", "access-control-request-headers": "range" },
    });
  const { status, headers } = await ask("/static/x");
  assert.deepEqual(
    [
      status,
      headers.get("access-control-allow-origin"),
      headers.get("access-control-allow-methods"),
    ],
    [204, "*", "GET, HEAD, OPTIONS"],
  );
  assert.match(headers.get("access-control-allow-headers") ?? "", /\brange\b/);
  assert.equal(headers.get("access-control-allow-credentials"), null);
  for (const path of ["/v1/storage/upload", "/v1/storage/files"])
    assert.equal((await ask(path)).headers.get("access-control-allow-origin"), null);
});

test("a reader that is slow holds the file back, one that leaves closes it", async (t) => {
  const chunk = Buffer.alloc(65_536);
  let made = 0;
  let closed = false;
  const sizeBytes = 10_000 * chunk.length;
  const endless = memoryFiles();
  const source = (): Readable =>
    new Readable({
      read() {
        made += 1;
        this.push(chunk);
      },
    }).once("close", () => (closed = true));
  const own = await openHttpEndpoint({ files: { ...endless, readFile: async () => source() } });
  t.after(() => own.close());
  const file = endless.keep({ body: BODY, bytes: sizeBytes });
  const socket = connect(own.port, "127.0.0.1", () =>
    socket.write(`GET /static/${file.name} HTTP/1.1\r\nhost: x\r\n\r\n`),
  );
  socket.on("error", () => undefined);
  socket.pause();
  let before_ = -1;
  await until("nothing more is made", async () => {
    const still = made > 0 && made === before_;
    before_ = made;
    return still;
  });
  assert.ok(made < 500, `${made} chunks of 64 KB were read for nobody`);
  socket.destroy();
  await until("the source is closed", async () => closed);
  await until("it is told", async () =>
    own.lines.some(([, line]) => line["route"] === "/static/{name}" && line["aborted"] === true),
  );
  assert.equal(own.lines.at(-1)?.[1]["code"], undefined);
});

test("a file that gives less, more or an error is broken off and told as our own fault; less is never taken for whole", async (t) => {
  for (const [source, whole] of [
    [() => Readable.from([BODY.subarray(0, 50_000)]), false],
    [() => Readable.from([BODY, BODY.subarray(0, 1)]), true],
    [() => Readable.from(breaking()), false],
  ] as const) {
    const short = memoryFiles();
    const own = await openHttpEndpoint({ files: { ...short, readFile: async () => source() } });
    t.after(() => own.close());
    const bytes = await fetch(`${own.url}/static/${short.keep({ body: BODY }).name}`)
      .then(async (response) => Buffer.from(await response.arrayBuffer()))
      .catch(() => null);
    // What is too much comes behind what was announced, and goes no further.
    assert.ok(bytes === null ? !whole : bytes.equals(BODY));
    await until("it is told", async () =>
      own.lines.some(([level, line]) => level === "error" && line["code"] === "internal_error"),
    );
  }
});

async function* breaking(): AsyncGenerator<Buffer> {
  yield BODY.subarray(0, 10);
  throw new Error("the disk broke");
}

test("a file that goes while it is asked for is gone, and a storage that fails before the first byte is an honest 500", async (t) => {
  for (const [readFile, status] of [
    [async () => null, 410],
    [async () => Promise.reject(new Error("no storage")), 500],
  ] as const) {
    const failing = memoryFiles();
    const own = await openHttpEndpoint({ files: { ...failing, readFile } });
    t.after(() => own.close());
    const response = await fetch(`${own.url}/static/${failing.keep({ body: BODY }).name}`);
    assert.deepEqual(
      [response.status, response.headers.get("cache-control"), response.headers.get("etag")],
      [status, "no-store", null],
    );
    assert.doesNotMatch(await response.text(), /no storage/);
  }
});

test("files may have the root of an origin of their own; the routes beside them stay", async (t) => {
  const rooted = memoryFiles({ staticPath: "" });
  const own = await openHttpEndpoint({ files: rooted });
  t.after(() => own.close());
  const file = rooted.keep({ body: BODY });
  assert.equal((await fetch(`${own.url}/${file.name}`)).status, 200);
  assert.equal((await fetch(`${own.url}/healthz`)).status, 200);
  assert.equal((await fetch(`${own.url}/nothing`)).status, 404);
  assert.equal((await fetch(`${own.url}/openapi.json`)).status, 200);
});

test("nothing is open any more", () => {
  assert.equal(files.reading, 0);
});
