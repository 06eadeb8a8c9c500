/**
 * Protects: in a bucket nothing is left whatever the server does, no reader holds a connection for
 * good, and no secret shows.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { inspect } from "node:util";
import type { ObjectStorage } from "../../src/storage/object-storage.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { parseStorageUrl } from "../../src/storage/parse-storage-url.ts";
import { openS3Storage } from "../../src/storage/s3-storage.ts";
import { until } from "../support/until.ts";
import { ACCESS_KEY, BUCKET, SECRET, startS3Server, type Interference } from "./s3-server.ts";
import { PART_BYTES, bytesOf, sha256, someBytes, stallingAfter, streamOf } from "./some-bytes.ts";

const VIDEO = { contentType: "video/mp4" };
const LONG = 12_000_000;

/**
 * Refuses the requests that `matches` picks, `times` times; with a body that says more than it
 * should.
 */
function refusing(
  matches: (method: string, url: URL) => boolean,
  times = Number.POSITIVE_INFINITY,
  status = 500,
): Interference {
  let left = times;
  return (request, response) => {
    if (left === 0 || !matches(request.method ?? "", new URL(request.url ?? "", "http://s3")))
      return false;
    left -= 1;
    request.resume();
    request.once("end", () => {
      const code =
        status === 403
          ? "SignatureDoesNotMatch"
          : status === 507
            ? "XMinioStorageFull"
            : "InternalError";
      const words = `<Message>${ACCESS_KEY} ${SECRET.replaceAll("&", "&amp;")}</Message><AWSAccessKeyId>${ACCESS_KEY}</AWSAccessKeyId>`;
      response
        .writeHead(status, { "content-type": "application/xml" })
        .end(`<Error><Code>${code}</Code>${words}</Error>`);
    });
    return true;
  };
}

const isPart = (method: string, url: URL): boolean =>
  method === "PUT" && url.searchParams.has("partNumber");
const isCompletion = (method: string, url: URL): boolean =>
  method === "POST" && url.searchParams.has("uploadId");

test("nothing is left when the server refuses any step", async () => {
  await using server = await startS3Server();
  const storage = await openStorage(server.url());
  const steps: Record<string, (method: string, url: URL) => boolean> = {
    CreateMultipartUpload: (method, url) => method === "POST" && url.searchParams.has("uploads"),
    UploadPart: isPart,
    CompleteMultipartUpload: isCompletion,
  };
  for (const [operation, matches] of Object.entries(steps)) {
    server.interfere = refusing(matches);
    const source = streamOf(someBytes(LONG));
    await assert.rejects(storage.put("refused.bin", source, VIDEO), {
      name: "StorageError",
      operation,
      status: 500,
    });
    assert.ok(source.destroyed, operation);
    assert.deepEqual([await server.objects(), await server.uploads()], [[], []], operation);
  }
  server.interfere = refusing((method) => method === "PUT");
  await assert.rejects(storage.put("refused.bin", streamOf(someBytes(100)), VIDEO), {
    operation: "PutObject",
  });
  assert.deepEqual(await server.objects(), []);
  server.interfere = refusing((method) => method === "PUT", undefined, 507);
  await assert.rejects(storage.put("refused.bin", streamOf(someBytes(100)), VIDEO), {
    name: "Fault",
    code: "storage_full",
  });
  await storage.close();
});

test("a part that is refused ends the put at once, even while its source gives nothing more", async () => {
  await using server = await startS3Server();
  const storage = await openStorage(server.url());
  server.interfere = refusing(isPart, undefined, 403);
  const { source } = stallingAfter(someBytes(PART_BYTES + 1000));
  await assert.rejects(storage.put("refused.bin", source, VIDEO), {
    operation: "UploadPart",
    code: "SignatureDoesNotMatch",
  });
  assert.deepEqual(await server.uploads(), []);
  await storage.close();
});

test("an upload whose completion was not confirmed is removed, though the server had made the object", async () => {
  await using server = await startS3Server();
  const storage = await openStorage(server.url());
  server.interfere = (request, response) => {
    // The server does what it is told, but its answer is lost.
    if (isCompletion(request.method ?? "", new URL(request.url ?? "", "http://s3")))
      response.end = () => response.destroy();
    return false;
  };
  await assert.rejects(storage.put("lost.bin", streamOf(someBytes(LONG)), VIDEO), {
    operation: "CompleteMultipartUpload",
  });
  assert.ok(server.requests.filter(({ method }) => method === "DELETE").length >= 2);
  assert.deepEqual([await server.objects(), await server.uploads()], [[], []]);
  await storage.close();
});

test("a passing refusal is retried, and a whole put is an upload of parts with a signed hash and no framing", async () => {
  await using server = await startS3Server();
  const storage = await openStorage(server.url());
  server.interfere = refusing(isPart, 1, 503);
  const bytes = someBytes(LONG);
  await storage.put("retried.bin", streamOf(bytes), VIDEO);
  assert.equal(sha256(await bytesOf(await storage.read("retried.bin"))), sha256(bytes));
  const parts = server.requests.filter(({ method, url }) =>
    isPart(method, new URL(url, "http://s3")),
  );
  assert.deepEqual(
    parts.map(({ headers }) => Number(headers["content-length"])).toSorted((a, b) => b - a),
    [PART_BYTES, PART_BYTES, PART_BYTES, LONG - 2 * PART_BYTES],
  );
  assert.equal(parts[0]?.headers["x-amz-content-sha256"], sha256(bytes.subarray(0, PART_BYTES)));
  for (const { headers } of server.requests) {
    assert.equal(headers["content-encoding"], undefined);
    assert.equal(headers["x-amz-trailer"], undefined);
  }
  await storage.close();
});

test("a process killed in the middle of an upload leaves the upload only; the sweep takes it when it is old, and no other", async () => {
  await using server = await startS3Server();
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, "put-process.ts"), "hang", "1", "12"],
    {
      env: { STORAGE_URL: server.url("http=1&prefix=ours") },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  await once(createInterface(child.stdout), "line");
  await until("the upload has begun", async () => (await server.uploads()).length === 1);
  child.kill("SIGKILL");
  await once(child, "exit");
  assert.deepEqual([await server.objects(), await server.uploads()], [[], ["ours/hanging.bin"]]);

  // More of ours, over several pages, and what others have in the same bucket.
  for (const key of [
    "ours/second",
    "ours/third",
    "ours/deeper/fourth",
    "theirs/fifth",
    "ours/NOT-A-KEY",
  ]) {
    const begun = await begin(server.url("http=1"), key);
    assert.equal(begun, 200);
  }
  server.uploadsPerPage = 1;
  const storage = await openStorage(server.url("http=1&prefix=ours"));
  const hourMs = 3_600_000;
  assert.equal(await storage.sweepUnfinished(hourMs), 0);
  await server.ageUploads(hourMs + 1000);
  assert.equal(await storage.sweepUnfinished(hourMs), 3);
  assert.deepEqual(await server.uploads(), [
    "ours/NOT-A-KEY",
    "ours/deeper/fourth",
    "theirs/fifth",
  ]);
  server.interfere = refusing((_, url) => url.searchParams.has("uploads"), undefined, 501);
  assert.equal(await storage.sweepUnfinished(0), 0);
  await storage.close();
});

/** Begins an upload under any key, as another program would. */
async function begin(storageUrl: string, key: string): Promise<number | undefined> {
  const { createS3Client } = await import("../../src/storage/s3-client.ts");
  const { CreateMultipartUploadCommand } = await import("@aws-sdk/client-s3");
  const parsed = parseStorageUrl(storageUrl);
  assert.ok(parsed.ok && parsed.place.kind === "s3");
  const client = createS3Client(parsed.place);
  const { $metadata } = await client.send(
    new CreateMultipartUploadCommand({ Bucket: BUCKET, Key: key }),
  );
  client.destroy();
  return $metadata.httpStatusCode;
}

test("keys are removed a thousand at a time, with the checksum that old servers want, and a refusal is told", async () => {
  await using server = await startS3Server();
  const storage = await openStorage(server.url());
  const bodies: string[] = [];
  server.interfere = (request, response) => {
    if (request.method !== "POST") return false;
    void (async () => {
      let body = "";
      for await (const chunk of request.setEncoding("utf8")) body += chunk;
      bodies.push(body);
      assert.equal(request.headers["content-md5"], createHash("md5").update(body).digest("base64"));
      const refused = body.includes(">key2400<")
        ? "<Error><Key>key2400</Key><Code>AccessDenied</Code></Error>"
        : "";
      response
        .writeHead(200, { "content-type": "application/xml" })
        .end(`<DeleteResult>${refused}</DeleteResult>`);
    })();
    return true;
  };
  const keys = Array.from({ length: 2400 }, (_, each) => `key${each}`);
  await storage.remove(keys);
  assert.deepEqual(
    bodies.map((body) => body.match(/<Object>/g)?.length),
    [1000, 1000, 400],
  );
  await assert.rejects(storage.remove([...keys, "key2400"]), {
    operation: "DeleteObjects",
    code: "AccessDenied",
  });
  await storage.close();
});

test("readers that go away free their connections, and those that pause keep theirs", async () => {
  await using server = await startS3Server();
  const storage = s3Storage(server.url(), { silenceMs: 150 });
  const bytes = someBytes(LONG);
  await storage.put("large.bin", streamOf(bytes), VIDEO);
  for (let each = 0; each < 20; each += 1) {
    const unread = await storage.read("large.bin");
    unread?.destroy();
    const begun = await storage.read("large.bin");
    for await (const _ of begun ?? []) break;
    // A server that gives more than was asked for: s3rver answers this with the whole object.
    assert.equal((await bytesOf(await storage.read("large.bin", { first: 0, last: 0 }))).length, 1);
  }
  await until("all connections that were cut are closed", () =>
    Promise.resolve(server.sockets.size <= 2),
  );

  const slow = await storage.read("large.bin");
  assert.ok(slow !== null);
  const chunks: Buffer[] = [];
  for await (const chunk of slow) {
    chunks.push(chunk as Buffer);
    if (chunks.length % 40 === 1) await sleep(400);
  }
  assert.equal(sha256(Buffer.concat(chunks)), sha256(bytes));
  await storage.close();
});

test("a server that falls silent or ends too early is an error of the reader's stream, not an end", async () => {
  await using server = await startS3Server();
  const storage = s3Storage(server.url(), { silenceMs: 150 });
  await storage.put("some.bin", streamOf(someBytes(100_000)), VIDEO);
  for (const [silent, code] of [
    [true, "SilenceTimeout"],
    [false, /ECONNRESET|Truncated/],
  ] as const) {
    server.interfere = (_, response) => {
      response.writeHead(200, { "content-length": 100_000 }).write(Buffer.alloc(50_000));
      if (!silent) setTimeout(() => response.destroy(), 50);
      return true;
    };
    await assert.rejects(bytesOf(await storage.read("some.bin")), {
      name: "StorageError",
      operation: "GetObject",
      code,
    });
  }
  // Other bytes than were asked for.
  server.interfere = (_, response) => {
    response.writeHead(200, { "content-length": 100_000 }).end(Buffer.alloc(100_000));
    return true;
  };
  await assert.rejects(storage.read("some.bin", { first: 10, last: 20 }), { code: "WrongRange" });
  await until("no connection is left to them", () => Promise.resolve(server.sockets.size <= 1));
  await storage.close();
});

test("a presigned address gives the object with the headers that were asked for, and nothing when it is altered", async () => {
  await using server = await startS3Server();
  const storage = await openStorage(server.url("http=1&prefix=p"));
  const bytes = someBytes(1000);
  await storage.put("shown.png", streamOf(bytes), { contentType: "text/html" });
  const address = await storage.presign("shown.png", {
    seconds: 60,
    contentType: "image/png",
    contentDisposition: `attachment; filename="a.png"`,
    cacheControl: "private, max-age=60",
  });
  assert.ok(address !== null);
  assert.ok(address.startsWith(`http://127.0.0.1:${server.port}/${BUCKET}/p/shown.png?`));
  assert.ok(!address.includes(encodeURIComponent(SECRET)));
  const answer = await fetch(address);
  assert.equal(answer.headers.get("content-type"), "image/png");
  assert.equal(answer.headers.get("content-disposition"), `attachment; filename="a.png"`);
  assert.equal(answer.headers.get("cache-control"), "private, max-age=60");
  assert.ok(Buffer.from(await answer.arrayBuffer()).equals(bytes));
  const altered = await fetch(address.replace("image%2Fpng", "text%2Fhtml"));
  assert.equal(altered.status, 403);
  await altered.body?.cancel();
  await storage.close();
});

test("check rejects within seconds: no server, no answer, no such bucket, a wrong secret", async () => {
  await using server = await startS3Server();
  const deaf = createServer((socket) => socket.unref())
    .listen(0, "127.0.0.1")
    .unref();
  await once(deaf, "listening");
  const { port } = deaf.address() as AddressInfo;
  const url = server.url();
  const closedPort = url.replace(`:${server.port}/`, ":1/");
  for (const [bad, code] of [
    [closedPort, "ECONNREFUSED"],
    [url.replace(`:${server.port}/`, `:${port}/`), /TimeoutError|AbortError/],
    [url.replace(BUCKET, "no-such-bucket"), "NotFound"],
    [url.replace(encodeURIComponent(SECRET), "wrong"), "Forbidden"],
  ] as const) {
    const storage = await openStorage(bad);
    const start = performance.now();
    await assert.rejects(storage.check(), { name: "StorageError", operation: "HeadBucket", code });
    assert.ok(performance.now() - start < 6000, bad);
    await storage.close();
  }
  deaf.close();
});

test("no error carries the key, the secret or what the server wrote", async () => {
  await using server = await startS3Server();
  const storage = await openStorage(server.url());
  server.interfere = refusing(() => true, undefined, 403);
  const asks: (() => Promise<unknown>)[] = [
    () => storage.put("some.bin", streamOf(someBytes(10)), VIDEO),
    () => storage.put("some.bin", streamOf(someBytes(LONG)), VIDEO),
    () => storage.read("some.bin"),
    () => storage.size("some.bin"),
    () => storage.remove(["some.bin"]),
    () => storage.sweepUnfinished(0),
    () => storage.check(),
  ];
  for (const ask of asks) {
    const error: unknown = await ask().then(
      () => assert.fail("this was refused"),
      (thrown: unknown) => thrown,
    );
    const shown = inspect(error, { depth: null, showHidden: true });
    assert.match(shown, /HTTP 403/);
    for (const secret of [ACCESS_KEY, SECRET]) assert.ok(!shown.includes(secret), shown);
  }
  await storage.close();
});

function s3Storage(url: string, options: { readonly silenceMs: number }): ObjectStorage {
  const parsed = parseStorageUrl(url);
  assert.ok(parsed.ok && parsed.place.kind === "s3");
  return openS3Storage(parsed.place, options);
}
