/**
 * Slow senders: uploads that are slow and honest arrive, though the server cuts every other request
 * after a while, and no sender of anything holds a connection by a trickle (hazards §311).
 */
// Runs beside the others: its senders are slow.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { dial } from "../../test/support/held-line.ts";
import { openHttpEndpoint, type HttpEndpoint } from "../../test/support/http-endpoint.ts";
import { newAccount, newKey } from "../../test/support/new-customer.ts";
import { memoryFiles } from "../../test/support/memory-files.ts";
import { filePart, multipartBody, multipartType } from "../../test/support/multipart-body.ts";
import { TIMEOUTS, type Timeouts } from "./server-timeouts.ts";

/** So many times shorter than in earnest. */
const SHORT: Timeouts = { ...TIMEOUTS, headersMs: 300, requestMs: 600, checkMs: 50 };
const PACE = { idleMs: 1_000, graceMs: 4_000, bytesPerSecond: 1_000, checkMs: 50 };

const files = memoryFiles();
let endpoint: HttpEndpoint;
let secret: string;
before(async () => {
  endpoint = await openHttpEndpoint({ files, timeouts: SHORT, uploadPace: PACE });
  ({ secret } = await newKey(endpoint.db, await newAccount(endpoint.db)));
});
after(() => endpoint.close());

const BODY = multipartBody([filePart(Buffer.alloc(400, 1))]);

function head(path: string, type: string, length: number): string {
  return `POST ${path} HTTP/1.1\r\nhost: x\r\nx-api-key: ${secret}\r\ncontent-type: ${type}\r\ncontent-length: ${length}\r\n\r\n`;
}

test("an honest slow upload takes three times as long as any request may, and the next requests of its connection have the usual time again", async (t) => {
  const { socket, drip, received, ended, text } = await dial(t, endpoint.port);
  socket.write(head("/v1/storage/upload", multipartType(), BODY.length));
  await drip(BODY, Math.ceil(BODY.length / 18), 100);
  await received(/^HTTP\/1\.1 200 /);
  assert.equal([...files.kept.values()].at(-1)?.bytes, 400);
  socket.write("GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n");
  await received(/200 OK[^]*"ok"/);
  const answered = text().length;
  socket.write(head("/v1/quote/messages", "application/json", 1000));
  await drip(Buffer.alloc(1000, 32), 1, 40);
  await ended();
  assert.doesNotMatch(text().slice(answered), /HTTP\/1\.1 200/);
});

test("a JSON body that trickles is cut off by the server, and so are headers", async (t) => {
  const body = await dial(t, endpoint.port);
  body.socket.write(head("/v1/quote/messages", "application/json", 1000));
  await body.drip(Buffer.alloc(1000, 32), 1, 40);
  await body.ended();
  const headers = await dial(t, endpoint.port);
  await headers.drip(Buffer.from(head("/v1/storage/upload", multipartType(), BODY.length)), 1, 20);
  await headers.received(/^HTTP\/1\.1 408 /);
  await headers.ended();
});

test("an upload that goes silent, and one that trickles, are told so with a 408 and leave nothing", async (t) => {
  const kept = files.kept.size;
  const silent = await dial(t, endpoint.port);
  silent.socket.write(head("/v1/storage/upload", multipartType(), BODY.length));
  silent.socket.write(BODY.subarray(0, 300));
  await silent.received(/^HTTP\/1\.1 408 [^]*no byte came/);
  const trickling = await dial(t, endpoint.port);
  trickling.socket.write(head("/v1/storage/upload", multipartType(), 50_000));
  await trickling.drip(multipartBody([filePart(Buffer.alloc(49_000))]), 20, 100);
  await trickling.received(/^HTTP\/1\.1 408 [^]*KB a second/);
  assert.deepEqual([files.kept.size, files.pending.size], [kept, 0]);
});

test("time that the storage takes is not the sender's", async (t) => {
  const own = memoryFiles({ take: () => new Promise((resolve) => setTimeout(resolve, 1_500)) });
  const slow = await openHttpEndpoint({ files: own, timeouts: SHORT, uploadPace: PACE });
  t.after(() => slow.close());
  const key = await newKey(slow.db, await newAccount(slow.db));
  const form = new FormData();
  form.append("file", new Blob([new Uint8Array(200_000)]), "x");
  const response = await fetch(`${slow.url}/v1/storage/upload`, {
    method: "POST",
    headers: { "x-api-key": key.secret },
    body: form,
  });
  assert.equal(response.status, 200, await response.text());
});
