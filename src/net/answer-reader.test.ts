/**
 * Protects: an answer is read the same however its bytes are cut, and what is not quite an answer of
 * HTTP/1.1 is refused.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom } from "../../test/support/seeded-random.ts";
import { AnswerReader, MalformedAnswer, type ResponseHeaders } from "./answer-reader.ts";

interface Read {
  status: number;
  headers: ResponseHeaders;
  body: string;
  /** Null: not over. */
  over: { readonly reusable: boolean; readonly idleSeconds: number | null } | null;
  /** Bytes behind the answer. */
  behind: string;
}

/** What one answer is read as, given in these pieces; `ends`: then its connection ends. */
function readIn(pieces: readonly string[], ends = false): Read {
  const read: Read = { status: 0, headers: {}, body: "", over: null, behind: "" };
  const reader = new AnswerReader({
    onHead(status, headers) {
      assert.equal(read.status, 0, "a second head");
      Object.assign(read, { status, headers });
    },
    onBody(bytes) {
      assert.ok(bytes.length > 0 && read.over === null);
      read.body += bytes.toString("latin1");
    },
    onComplete: (after) => void (read.over = after),
  });
  reader.begin();
  for (const piece of pieces) {
    const bytes = Buffer.from(piece, "latin1");
    read.behind += bytes.subarray(reader.feed(bytes)).toString("latin1");
  }
  if (ends) assert.equal(reader.end(), read.over !== null);
  return read;
}

const OK = "HTTP/1.1 200 OK\r\n";
const CHUNKED = `${OK}transfer-encoding: chunked\r\n\r\n`;

/** In one piece, byte by byte, and cut at each place. */
function inAllCuts(answer: string, ends: boolean): Read {
  const whole = readIn([answer], ends);
  assert.deepEqual(readIn([...answer], ends), whole, "byte by byte");
  for (let at = 1; at < answer.length; at += 1)
    assert.deepEqual(
      readIn([answer.slice(0, at), answer.slice(at)], ends),
      whole,
      `cut at ${at} of ${JSON.stringify(answer)}`,
    );
  return whole;
}

test("an answer is read the same however it is cut", () => {
  const kept = { reusable: true, idleSeconds: null };
  const closed = { reusable: false, idleSeconds: null };
  for (const [answer, body, over, behind] of [
    [`${OK}content-length: 5\r\n\r\nhello`, "hello", kept, ""],
    [`${OK}content-length: 5\r\n\r\nhelloHTTP/1.1`, "hello", kept, "HTTP/1.1"],
    [`${OK}Content-Length:\t5 \r\n\r\nhello`, "hello", kept, ""],
    [`${OK}content-length: 0\r\n\r\n`, "", kept, ""],
    [`${OK}content-length: 1\r\nConnection: close\r\n\r\nx`, "x", closed, ""],
    ["HTTP/1.1 204 No Content\r\ncontent-length: 9\r\n\r\n", "", kept, ""],
    ["HTTP/1.1 304\r\n\r\n", "", kept, ""],
    ["HTTP/1.0 200 OK\r\ncontent-length: 1\r\n\r\nx", "x", closed, ""],
    ["HTTP/1.0 200 OK\r\nconnection: Keep-Alive\r\ncontent-length: 1\r\n\r\nx", "x", kept, ""],
    [
      `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nlink: x\r\n\r\n${OK}content-length: 1\r\n\r\nx`,
      "x",
      kept,
      "",
    ],
    [`${CHUNKED}5\r\nhello\r\n00a\r\n, the rest\r\n0\r\n\r\nmore`, "hello, the rest", kept, "more"],
    [`${CHUNKED}5;name=value\r\nhello\r\n1 ; x\r\n!\r\n0;end\r\n\r\n`, "hello!", kept, ""],
    [`${CHUNKED}2\r\n\r\n\r\n0\r\nx-check: 1\r\nx-more: 2\r\n\r\n`, "\r\n", kept, ""],
  ] as const) {
    const read = inAllCuts(answer, false);
    assert.deepEqual([read.body, read.over, read.behind], [body, over, behind], answer);
  }
});

test("a body without a length goes on to the end of its connection", () => {
  const read = inAllCuts(`${OK}\r\nall of it`, true);
  assert.deepEqual([read.body, read.over], ["all of it", { reusable: false, idleSeconds: null }]);
});

test("a body that its connection's end cuts is not complete", () => {
  for (const answer of [
    "HTTP/1.1 200 OK\r\ncontent-le",
    `${OK}content-length: 5\r\n\r\nhell`,
    `${CHUNKED}5\r\nhello\r\n`,
    `${CHUNKED}5\r\nhello\r\n0\r\n`,
  ])
    assert.equal(readIn([answer], true).over, null, answer);
});

test("fields have their names in lower case, their values without blanks around, all of those that came twice", () => {
  const { headers } = readIn([
    `${OK}X-One:  a: b\t\r\nset-cookie: 1\r\nSET-COOKIE: 2\r\nset-cookie: 3\r\nempty:\r\nwide: \xa0\xe9\r\n__proto__: x\r\ncontent-length: 0\r\n\r\n`,
  ]);
  assert.deepEqual(
    { ...headers },
    {
      "x-one": "a: b",
      "set-cookie": ["1", "2", "3"],
      empty: "",
      wide: "\xa0\xe9",
      "content-length": "0",
    },
  );
});

test("how long the peer keeps its connection is read from its words", () => {
  for (const [words, idleSeconds] of [
    ["timeout=5", 5],
    ["max=100, Timeout=72", 72],
    ["timeout=soon", null],
    ["xtimeout=5", null],
  ] as const)
    assert.deepEqual(
      readIn([`${OK}keep-alive: ${words}\r\ncontent-length: 0\r\n\r\n`]).over,
      { reusable: true, idleSeconds },
      words,
    );
});

test("what is not quite an answer is refused, in one piece and byte by byte", () => {
  const line = "x".repeat(17_000);
  for (const answer of [
    "SSH-2.0-x\r\n",
    "\r\nHTTP/1.1 200 OK\r\n\r\n",
    "HTTP/2 200\r\n\r\n",
    "HTTP/1.1 20 OK\r\n\r\n",
    "HTTP/1.1 2000 OK\r\n\r\n",
    "HTTP/1.1  200 OK\r\n\r\n",
    "HTTP/1.1 101 Switching Protocols\r\n\r\n",
    `${OK}no colon\r\n\r\n`,
    `${OK}: no name\r\n\r\n`,
    `${OK}na me: x\r\n\r\n`,
    `${OK}name : x\r\n\r\n`,
    `${OK}a: b\r\n folded: c\r\n\r\n`,
    `${OK}a: b\nc: d\r\n\r\n`,
    `${OK}a: b\rc: d\r\n\r\n`,
    `${OK}a: \0\r\n\r\n`,
    `${OK}a: ${line}\r\n\r\n`,
    `${OK}a: ${line}`,
    `${OK}content-length: 5\r\ncontent-length: 5\r\n\r\nhello`,
    `${OK}content-length: 5, 5\r\n\r\nhello`,
    `${OK}content-length: +5\r\n\r\nhello`,
    `${OK}content-length: -5\r\n\r\nhello`,
    `${OK}content-length: 0x5\r\n\r\nhello`,
    `${OK}content-length:\r\n\r\nhello`,
    `${OK}content-length: 1234567890123456\r\n\r\nhello`,
    `${OK}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
    `${OK}transfer-encoding: gzip, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
    `${OK}transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
    `${OK}transfer-encoding: identity\r\n\r\nhello`,
    `${CHUNKED}\r\nhello\r\n`,
    `${CHUNKED}g\r\n`,
    `${CHUNKED}-5\r\nhello\r\n`,
    `${CHUNKED}0x5\r\nhello\r\n`,
    `${CHUNKED}5\nhello\r\n`,
    `${CHUNKED}5\rhello\r\n`,
    `${CHUNKED}5 x\r\nhello\r\n`,
    `${CHUNKED}5;a\nb\r\nhello\r\n`,
    `${CHUNKED}5;${line}`,
    `${CHUNKED}${"0".repeat(12)}5\r\nhello\r\n`,
    `${CHUNKED}5\r\nhello!\r\n`,
    `${CHUNKED}5\r\nhello\n`,
    `${CHUNKED}5\r\nhello\r!`,
    `${CHUNKED}0\r\nno colon\r\n\r\n`,
    `${CHUNKED}0\r\na: ${line}`,
  ]) {
    const name = JSON.stringify(answer.slice(0, 90));
    assert.throws(() => readIn([answer]), MalformedAnswer, name);
    assert.throws(() => readIn([...answer]), MalformedAnswer, `byte by byte: ${name}`);
  }
});

test("what it stops at is left unread, and read on from there", () => {
  const random = seededRandom(20_261_128);
  const answer = Buffer.from(`${CHUNKED}2\r\nab\r\n3\r\ncde\r\n1\r\nf\r\n0\r\n\r\n`);
  for (let each = 0; each < 300; each += 1) {
    let body = "";
    let isOver = false;
    const reader: AnswerReader = new AnswerReader({
      onHead: () => void (random() < 0.5 && reader.stop()),
      onBody(bytes) {
        body += bytes.toString();
        if (random() < 0.5) reader.stop();
      },
      onComplete: () => void (isOver = true),
    });
    reader.begin();
    let rest = answer;
    for (let turns = 0; !isOver; turns += 1) {
      assert.ok(turns < 20);
      rest = rest.subarray(reader.feed(rest));
    }
    assert.deepEqual([body, rest.length], ["abcdef", 0]);
  }
});

test("the end of a body that it stops at is told when it reads on", () => {
  let isOver = false;
  const reader: AnswerReader = new AnswerReader({
    onHead: () => undefined,
    onBody: () => reader.stop(),
    onComplete: () => void (isOver = true),
  });
  reader.begin();
  const answer = Buffer.from(`${OK}content-length: 1\r\n\r\nx`);
  assert.deepEqual([reader.feed(answer), isOver], [answer.length, false]);
  reader.feed(Buffer.alloc(0));
  assert.equal(isOver, true);
});
