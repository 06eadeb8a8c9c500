/**
 * Guards the reading of uploads at every byte: however a body is cut into pieces it is the same
 * file, and wherever it breaks off it is none.
 */
import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import fc from "fast-check";
import { BOUNDARY, filePart, multipartBody, textPart } from "../../test/support/multipart-body.ts";
import { systemClock } from "../kernel/clock.ts";
import { Fault } from "../kernel/faults.ts";
import { readBoundary, readMultipartFile } from "./multipart-file.ts";
import { UPLOAD_PACE } from "./sender-pace.ts";

interface Sent {
  /** `end`: all of what was announced came. `gone`: the connection broke. */
  readonly how: "end" | "gone";
  readonly pieces: readonly Buffer[];
}

/**
 * A request as Node makes it, without its socket: what is tested is where pieces end, which a
 * network would not keep.
 */
function openRequest(): IncomingMessage {
  return Object.assign(new Readable({ read() {} }), {
    complete: false,
    headers: {},
  }) as unknown as IncomingMessage;
}

function requestOf({ how, pieces }: Sent): IncomingMessage {
  const request = openRequest();
  void (async () => {
    for (const piece of pieces) {
      request.push(piece);
      await new Promise(setImmediate);
    }
    if (how === "gone") return request.destroy();
    Object.assign(request, { complete: true });
    request.push(null);
  })();
  return request;
}

interface Outcome {
  readonly file: Buffer | null;
  readonly name: string | null;
  /** The code and the message of the fault; empty for none. */
  readonly refused: string;
}

/** Never hangs: the runner's timeout is the proof. */
async function outcomeOf(sent: Sent, limitBytes = 1_000_000): Promise<Outcome> {
  try {
    const file = await readMultipartFile(requestOf(sent), {
      boundary: BOUNDARY,
      limitBytes,
      pace: UPLOAD_PACE,
      clock: systemClock,
    });
    return taken(await buffer(file.source), file.fileName);
  } catch (error) {
    assert.ok(error instanceof Fault, String(error));
    return { file: null, name: null, refused: `${error.code}: ${error.message}` };
  }
}

function taken(file: Buffer, name: string | null): Outcome {
  return { file, name, refused: "" };
}

/** With everything in it that could be taken for its end. */
const CONTENT = Buffer.concat([
  Buffer.from(`\r\n--\r\n--${BOUNDARY.slice(0, -1)}\r\n-${BOUNDARY}--\r\n\r`),
  Buffer.from([0, 255, 13, 10, 45, 45, 13]),
  Buffer.from(`--${BOUNDARY}--`),
]);
const WHOLE = multipartBody([filePart(CONTENT, "фото 1.png")]);

test(
  "a body cut in two at any byte, and into single bytes, is the same file",
  { timeout: 60_000 },
  async () => {
    const expected = taken(CONTENT, "фото 1.png");
    for (let at = 0; at <= WHOLE.length; at++) {
      const pieces = [WHOLE.subarray(0, at), WHOLE.subarray(at)].filter(
        (piece) => piece.length > 0,
      );
      assert.deepEqual(
        await outcomeOf({ how: "end", pieces }),
        expected,
        `cut at ${at} of ${WHOLE.length}`,
      );
    }
    assert.deepEqual(
      await outcomeOf({ how: "end", pieces: [...WHOLE].map((byte) => Buffer.from([byte])) }),
      expected,
    );
  },
);

test(
  "a body that breaks off at any byte is a refusal, whether the connection broke too or the sender called it complete",
  { timeout: 60_000 },
  async () => {
    // The line end behind the closing boundary is not needed.
    for (let at = 0; at < WHOLE.length - 2; at++) {
      const cut = WHOLE.subarray(0, at);
      for (const how of ["end", "gone"] as const) {
        for (const pieces of [[cut], [cut.subarray(0, at >> 1), cut.subarray(at >> 1)]]) {
          const outcome = await outcomeOf({
            how,
            pieces: pieces.filter((piece) => piece.length > 0),
          });
          assert.match(outcome.refused, /^invalid_request: /, `${how} at ${at} of ${WHOLE.length}`);
        }
      }
    }
    for (const how of ["end", "gone"] as const) {
      const outcome = await outcomeOf({ how, pieces: [WHOLE.subarray(0, -2)] });
      assert.equal(outcome.refused !== "", how === "gone", "all but the last line end");
    }
  },
);

test("any file in any pieces comes out as it went in", async () => {
  const content = fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 3_000 }),
    fc
      .array(
        fc.constantFrom("\r", "\n", "-", "--", BOUNDARY, `\r\n--${BOUNDARY.slice(0, 9)}`, "x"),
        { minLength: 1, maxLength: 60 },
      )
      .map((parts) => Buffer.from(parts.join(""))),
  );
  await fc.assert(
    fc.asyncProperty(
      content,
      fc.array(fc.integer({ min: 1, max: 200 }), { maxLength: 20 }),
      async (bytes, sizes) => {
        // A client chooses a boundary that its file has at no line's beginning, the first one
        // included (RFC 2046 §5.1.1).
        fc.pre(
          bytes.length > 0 &&
            !Buffer.from(`\r\n${Buffer.from(bytes).toString("latin1")}`).includes(
              `\r\n--${BOUNDARY}`,
            ),
        );
        const body = multipartBody([filePart(Buffer.from(bytes))]);
        const pieces: Buffer[] = [];
        let at = 0;
        for (const size of [...sizes, body.length]) {
          if (at < body.length) pieces.push(body.subarray(at, at + size));
          at += size;
        }
        const outcome = await outcomeOf({ how: "end", pieces });
        assert.deepEqual([outcome.refused, outcome.file?.equals(bytes)], ["", true]);
      },
    ),
    { numRuns: 300 },
  );
});

test("any bytes at all are a file or a refusal, never a hang and never another error", async () => {
  const mutation = fc.record({
    at: fc.nat(WHOLE.length - 1),
    byte: fc.integer({ min: 0, max: 255 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(mutation, { minLength: 1, maxLength: 4 }),
      fc.nat(WHOLE.length),
      async (mutations, cut) => {
        const body = Buffer.from(WHOLE);
        for (const { at, byte } of mutations) body[at] = byte;
        const outcome = await outcomeOf({
          how: "end",
          pieces: [body.subarray(0, cut), body.subarray(cut)].filter((piece) => piece.length > 0),
        });
        assert.ok(outcome.file !== null || outcome.refused.startsWith("invalid_request: "));
      },
    ),
    { numRuns: 500 },
  );
});

test("the limit is exact, and told as soon as it is passed", async () => {
  const body = (size: number) => multipartBody([filePart(Buffer.alloc(size, 7))]);
  assert.equal((await outcomeOf({ how: "end", pieces: [body(1000)] }, 1000)).refused, "");
  assert.match(
    (await outcomeOf({ how: "end", pieces: [body(1001)] }, 1000)).refused,
    /^request_too_large/,
  );
  // The rest never comes, and is not waited for.
  const endless = openRequest();
  endless.push(body(5_000).subarray(0, 2_000));
  const file = await readMultipartFile(endless, {
    boundary: BOUNDARY,
    limitBytes: 1000,
    pace: UPLOAD_PACE,
    clock: systemClock,
  }).catch((error: unknown) => error);
  assert.ok(
    file instanceof Fault ||
      (await buffer((file as { source: Readable }).source).catch(
        (error: unknown) => error,
      )) instanceof Fault,
  );
});

test("the body is read no faster than the file is", async () => {
  const request = openRequest();
  const body = multipartBody([filePart(Buffer.alloc(3_000_000, 7))]);
  for (let at = 0; at < body.length; at += 60_000) request.push(body.subarray(at, at + 60_000));
  const file = await readMultipartFile(request, {
    boundary: BOUNDARY,
    limitBytes: 10_000_000,
    pace: UPLOAD_PACE,
    clock: systemClock,
  });
  for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
  assert.ok(
    request.readableLength > 2_500_000,
    `${request.readableLength} bytes wait in the request`,
  );
  Object.assign(request, { complete: true });
  request.push(null);
  assert.equal((await buffer(file.source)).length, 3_000_000);
});

test("a reader that has enough leaves the body where it is", async () => {
  const request = openRequest();
  request.push(multipartBody([filePart(Buffer.alloc(500_000))]).subarray(0, 200_000));
  const file = await readMultipartFile(request, {
    boundary: BOUNDARY,
    limitBytes: 1_000_000,
    pace: UPLOAD_PACE,
    clock: systemClock,
  });
  file.abandon();
  await new Promise(setImmediate);
  assert.deepEqual(
    [request.isPaused(), request.destroyed, file.source.destroyed, file.fault],
    [true, false, true, null],
  );
});

test("a text in place of the file is told apart from a file without a name or without a type", async () => {
  const outcome = (head: string[]) =>
    outcomeOf({ how: "end", pieces: [multipartBody([{ head, bytes: "bytes" }])] });
  const named = 'Content-Disposition: form-data; name="file"';
  assert.match(
    (await outcomeOf({ how: "end", pieces: [multipartBody([textPart("blob:https://x/1")])] }))
      .refused,
    /sent as a text.*blob:/,
  );
  assert.match(
    (await outcome([named, "Content-Type: text/plain; charset=utf-8"])).refused,
    /sent as a text/,
  );
  assert.deepEqual(
    await outcome([named, "Content-Type: image/png"]),
    taken(Buffer.from("bytes"), null),
  );
  assert.deepEqual(
    await outcome([`${named}; filename="a.png"`]),
    taken(Buffer.from("bytes"), "a.png"),
  );
  assert.deepEqual(
    await outcome([`${named}; filename="../../etc/passwd"`]),
    taken(Buffer.from("bytes"), "passwd"),
  );
  assert.deepEqual(
    await outcome([`${named}; filename*=UTF-8''%d1%84.png`]),
    taken(Buffer.from("bytes"), "ф.png"),
  );
  // As browsers and FormData write a quote and a line end; nothing else of a name is escaped.
  assert.deepEqual(
    await outcome([`${named}; filename="a %22b%22%0D%0Ac %41.png"`]),
    taken(Buffer.from("bytes"), 'a "b" c %41.png'),
  );
});

test("the boundary is read as clients write it, and refused where it cannot be one", () => {
  for (const [type, boundary] of [
    ["multipart/form-data; boundary=abc", "abc"],
    ["multipart/form-data;boundary=abc", "abc"],
    ['Multipart/Form-Data; charset=utf-8; Boundary="a:b=c"', "a:b=c"],
    ["multipart/form-data; boundary=a/b+c; charset=utf-8", "a/b+c"],
  ] as const) {
    assert.equal(readBoundary(type), boundary);
  }
  for (const type of [
    undefined,
    "",
    "multipart/form-data",
    "multipart/form-data; boundary=",
    'multipart/form-data; boundary=""',
    'multipart/form-data; boundary="a b"',
    `multipart/form-data; boundary=${"x".repeat(71)}`,
    'multipart/form-data; boundary="a\\"b"',
    "multipart/mixed; boundary=abc",
    "multipart/form-data-x; boundary=abc",
    "application/x-www-form-urlencoded",
  ]) {
    assert.throws(
      () => readBoundary(type),
      (error) =>
        error instanceof Fault && error.status === 400 && /-F file=@photo/.test(error.message),
      String(type),
    );
  }
});
