/** Protects: a request's head says what was asked and nothing else, whatever its fields hold. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { WireRequest } from "./carried.ts";
import { RequestHeads } from "./request-head.ts";

const REQUEST: WireRequest = {
  path: "/v1/chat?beta=true",
  method: "POST",
  headers: { authorization: "Bearer sk", "x-two": "é\t~" },
  body: Buffer.from("four"),
  firstByteTimeoutMs: 1,
  idleTimeoutMs: 1,
};

const headOf = (edit: Partial<WireRequest> = {}): string =>
  new RequestHeads("up.example:8080").of({ ...REQUEST, ...edit });

test("a head has its line, its host, its fields and the length of its body", () => {
  assert.equal(
    headOf(),
    "POST /v1/chat?beta=true HTTP/1.1\r\nhost: up.example:8080\r\nconnection: keep-alive\r\nauthorization: Bearer sk\r\nx-two: é\t~\r\ncontent-length: 4\r\n\r\n",
  );
});

test("fields are those of the request, also where the one before had others", () => {
  const heads = new RequestHeads("x");
  const first = heads.of({ ...REQUEST, headers: { a: "1" } });
  const second = heads.of({ ...REQUEST, headers: { b: "2" } });
  assert.ok(first.includes("\r\na: 1\r\n") && !first.includes("\r\nb:"));
  assert.ok(second.includes("\r\nb: 2\r\n") && !second.includes("\r\na:"));
});

test("the length is that of what is sent", () => {
  const stream = { sizeBytes: 12_345, open: () => [] as unknown as AsyncIterable<Buffer> };
  for (const [edit, length] of [
    [{ body: stream, headers: { "content-length": "9" } }, "12345"],
    [{ body: Buffer.from("é") }, "2"],
    [{ body: null }, "0"],
    [{ body: null, method: "PUT" }, "0"],
    [{ body: null, method: "GET" }, undefined],
    [{ body: null, method: "DELETE" }, undefined],
  ] as const) {
    const lengths = [...headOf(edit).matchAll(/content-length: (\d+)/g)].map(
      ([, digits]) => digits,
    );
    assert.deepEqual(lengths, length === undefined ? [] : [length]);
  }
});

test("what would be read as something else is refused", () => {
  for (const edit of [
    { path: "v1" },
    { path: "" },
    { path: "/a b" },
    { path: "/a\r\nb" },
    { path: "/\u0100" },
    { headers: { "x-bad": "a\r\nb: c" } },
    { headers: { "x-bad": "a\nb" } },
    { headers: { "x-bad": "\0" } },
    { headers: { "x-bad": "\u0416" } },
    { headers: { "x bad": "a" } },
    { headers: { "x:bad": "a" } },
    { headers: { "": "a" } },
    { headers: { host: "other.example" } },
    { headers: { connection: "close" } },
    { headers: { "transfer-encoding": "chunked" } },
    { headers: { expect: "100-continue" } },
  ])
    assert.throws(() => headOf(edit), { name: "InvalidArgumentError" }, JSON.stringify(edit));
});
