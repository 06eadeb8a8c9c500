/**
 * Protects: a form of texts and files is read whole or refused by name, whatever was sent, and no
 * file of a refused form goes on being read.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, request, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import type { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { systemClock } from "../kernel/clock.ts";
import { Fault, toFault } from "../kernel/faults.ts";
import {
  BOUNDARY,
  filePart,
  multipartBody,
  textPart,
  type Part,
} from "../../test/support/multipart-body.ts";
import { readMultipartForm, type FormOptions, type FormTexts } from "./multipart-form.ts";

const LIMIT = 100_000;

interface Read {
  readonly texts: FormTexts;
  readonly files: readonly string[];
}

let options: Partial<FormOptions> = {};
let outcome = Promise.withResolvers<Read | Fault>();
const server = createServer((incoming, response) => {
  read(incoming).then(
    (value) => {
      outcome.resolve(value);
      response.end();
    },
    (error: unknown) => {
      outcome.resolve(toFault(error));
      response.destroy();
    },
  );
});
before(() => new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve)));
after(() => {
  server.closeAllConnections();
  server.close();
});

async function read(incoming: IncomingMessage): Promise<Read> {
  const files: string[] = [];
  const texts = await readMultipartForm(incoming, {
    boundary: BOUNDARY,
    isFile: (name) => name.startsWith("image"),
    maxFiles: 2,
    fileLimitBytes: LIMIT,
    pace: { idleMs: 30_000, graceMs: 60_000, bytesPerSecond: 1, checkMs: 1000 },
    clock: systemClock,
    async onFile({ field, fileName, source }) {
      const bytes = await buffer(source);
      files.push(`${field} ${fileName} ${bytes.length}`);
    },
    ...options,
  });
  return { texts, files };
}

interface Sending {
  readonly cutAt?: number;
  readonly pieces?: number;
  /** The body ends when this says so; what stands before `until` is sent before. */
  readonly pause?: { readonly until: string; readonly over: Promise<unknown> };
}

function send(body: Buffer, how: Sending = {}) {
  outcome = Promise.withResolvers<Read | Fault>();
  const client = request({
    port: (server.address() as AddressInfo).port,
    host: "127.0.0.1",
    method: "POST",
    headers: { "content-length": body.length },
  });
  client.on("error", () => undefined);
  const sent = how.cutAt === undefined ? body : body.subarray(0, how.cutAt);
  const size = how.pieces ?? sent.length;
  if (how.cutAt !== undefined) client.write(sent, () => client.destroy());
  else if (how.pause !== undefined) {
    const at = sent.indexOf(how.pause.until);
    client.write(sent.subarray(0, at));
    void how.pause.over.then(() => client.end(sent.subarray(at)));
  } else {
    for (let at = 0; at < sent.length; at += size) client.write(sent.subarray(at, at + size));
    client.end();
  }
  return outcome.promise;
}

const GOOD: readonly Part[] = [
  textPart("A cat", "prompt"),
  filePart(Buffer.alloc(LIMIT, 7), "a b.png", "image"),
  textPart("word", "granularities[]"),
  filePart("xy", "b.png", "image[]"),
  textPart("segment", "granularities[]"),
];

test("texts in their order, names as often as they came, files to the byte, however it is cut into pieces", async () => {
  for (const pieces of [undefined, 1000, 997]) {
    const found = await send(multipartBody(GOOD), pieces === undefined ? {} : { pieces });
    assert.deepEqual(found, {
      texts: [
        ["prompt", "A cat"],
        ["granularities[]", "word"],
        ["granularities[]", "segment"],
      ],
      files: [`image a b.png ${LIMIT}`, "image[] b.png 2"],
    });
  }
});

const REFUSED: readonly (readonly [
  what: string,
  body: Buffer,
  code: string,
  message: RegExp,
  how?: { readonly cutAt?: number },
])[] = [
  ["nothing", Buffer.alloc(0), "invalid_request", /empty/],
  ["no multipart", Buffer.from("hello"), "invalid_request", /breaks off/],
  [
    "another boundary",
    multipartBody(GOOD, { boundary: "another" }),
    "invalid_request",
    /breaks off/,
  ],
  ["no closing boundary", multipartBody(GOOD, { close: "" }), "invalid_request", /breaks off/],
  [
    "a file over the limit",
    multipartBody([filePart(Buffer.alloc(LIMIT + 1), "a.png", "image")]),
    "request_too_large",
    /'image' may have 100000 bytes/,
  ],
  [
    "one file too many",
    multipartBody(["a", "b", "c"].map((name) => filePart("x", name, "image[]"))),
    "invalid_request",
    /2 files/,
  ],
  [
    "a text without an end",
    multipartBody([textPart("x".repeat(300_000), "prompt")]),
    "invalid_request",
    /'prompt' is longer/,
  ],
  [
    "texts without number",
    multipartBody(Array.from({ length: 200 }, () => textPart("x", "prompt"))),
    "invalid_request",
    /100 fields/,
  ],
  [
    "a long word before the first boundary",
    multipartBody(GOOD, { before: "x".repeat(3_000_000) }),
    "request_too_large",
    /./,
  ],
  [
    "a control character in a name",
    multipartBody([{ head: ['Content-Disposition: form-data; name="a\u0001b"'], bytes: "x" }]),
    "invalid_request",
    /control characters/,
  ],
  [
    "a sender that goes away in a file",
    multipartBody(GOOD),
    "invalid_request",
    /connection ended|breaks off/,
    { cutAt: 5000 },
  ],
];

for (const [what, body, code, message, how] of REFUSED) {
  test(`refused: ${what}`, async () => {
    const found = await send(body, how);
    assert.ok(found instanceof Fault, JSON.stringify(found));
    assert.equal(found.code, code, found.message);
    assert.match(found.message, message);
  });
}

test("a file before all texts is read while these are still to come, and they are there at the end", async () => {
  const taken = Promise.withResolvers<void>();
  options = {
    async onFile({ source }) {
      const closed = once(source, "close");
      assert.equal((await buffer(source)).length, LIMIT);
      await closed;
      taken.resolve();
    },
  };
  const parts = [filePart(Buffer.alloc(LIMIT, 7), "a.png", "image"), textPart("batch", "purpose")];
  const pause = { until: 'name="purpose"', over: taken.promise };
  const found = await send(multipartBody(parts), { pause });
  options = {};
  assert.deepEqual(found, { texts: [["purpose", "batch"]], files: [] });
});

test("what its taker says of a file refuses the form, and nothing is under way any more", async () => {
  const sources: Readable[] = [];
  options = {
    async onFile({ field, source }) {
      sources.push(source);
      if (field === "image[]") throw new Fault("storage_full");
      await buffer(source);
    },
  };
  const found = await send(multipartBody(GOOD));
  options = {};
  assert.ok(found instanceof Fault);
  assert.equal(found.code, "storage_full");
  assert.deepEqual(
    sources.map(({ destroyed }) => destroyed),
    [true, true],
  );
});
