/** Guarantee: wherever a body is cut while it comes, the same requests lie at the same bytes; and what is no list of requests is not taken for one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Fault } from "../../kernel/faults.ts";
import { splitRequests } from "./split-requests.ts";

async function* chunksOf(body: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < body.length; at += size) yield body.subarray(at, at + size);
}

async function split(body: Buffer, size: number, limit = 1_000) {
  const found: (readonly [index: number, text: string | null, at: string])[] = [];
  const frame = await splitRequests(
    chunksOf(body, size),
    limit,
    async ({ index, firstByte, bytes }) => {
      const at = body.toString("utf8", firstByte, firstByte + 1);
      if (bytes !== null)
        assert.ok(bytes.equals(body.subarray(firstByte, firstByte + bytes.length)));
      found.push([index, bytes?.toString() ?? null, at]);
    },
  );
  return { found, frame: frame.toString() };
}

const REQUESTS = [
  `{"custom_id":"a","params":{"x":"}]{[\\"\\\\"}}`,
  `{}`,
  `{"custom_id":"ж","params":{"deep":[[{"requests":[{}]}]]}}`,
];
const BODY = Buffer.from(
  ` {"about":"requests","nested":{"requests":[{"no":1}]},\n "requests" : [ ${REQUESTS.join(" ,\n")} ],"after":[{"requests":1}]}\n`,
);

test("cut after every number of bytes, a body has the same requests and the same frame", async () => {
  for (let size = 1; size <= BODY.length; size++) {
    const { found, frame } = await split(BODY, size);
    assert.deepEqual(
      found,
      REQUESTS.map((text, index) => [index, text, "{"]),
      `chunks of ${size}`,
    );
    assert.deepEqual(JSON.parse(frame), {
      about: "requests",
      nested: { requests: [{ no: 1 }] },
      requests: [{}, {}, {}],
      after: [{ requests: 1 }],
    });
  }
});

test("a request over the limit is told without its bytes, and those after it are whole", async () => {
  const body = Buffer.from(`{"requests":[{"a":"${"x".repeat(50)}"},{"b":1}]}`);
  for (const size of [1, 7, 1_000]) {
    const { found } = await split(body, size, 40);
    assert.deepEqual(
      found.map(([, text]) => text),
      [null, '{"b":1}'],
    );
  }
});

test("a list by another spelling of its name, and one that is no list of objects, has no requests", async () => {
  const bodies: readonly (readonly [body: string, requests: number])[] = [
    [`{"Requests":[{}]}`, 0],
    [`{"\\u0072equests":[{}]}`, 1],
    [`{"requests":{"requests":[{}]}}`, 0],
    [`{"requests":[[{}],1,"{}",null]}`, 0],
    [`{"x":"requests","y":[{}]}`, 0],
    [`[{"requests":[{}]}]`, 0],
    [`{"requests":"[{}]"}`, 0],
    [`"requests"`, 0],
    [`{}`, 0],
  ];
  for (const [body, requests] of bodies)
    assert.equal((await split(Buffer.from(body), 3)).found.length, requests, body);
});

test("a body that breaks off, or closes what it has not opened, is refused", async () => {
  for (const body of [`{"requests":[{}`, `{"requests":[{"a":"`, `}`, `{"requests":[]}]`, `{"a"`])
    await assert.rejects(
      split(Buffer.from(body), 2),
      (error: unknown) => error instanceof Fault && error.code === "invalid_request",
      body,
    );
});
