/**
 * A request that breaks while it is under way: its sender hears what is wrong, in the form of the
 * path, and what was whole is answered whole.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { after, before, test } from "node:test";
import { openHttpEndpoint, type HttpEndpoint } from "../../test/support/http-endpoint.ts";
import { newAccount, newKey } from "../../test/support/new-customer.ts";
import { rawHttp } from "../../test/support/raw-http.ts";
import { until } from "../../test/support/until.ts";
import { createMistakeFinder } from "../contract/find-mistakes.ts";
import { TaskErrorBody } from "../contract/error-bodies.ts";

let endpoint: HttpEndpoint;
let secret: string;
before(async () => {
  endpoint = await openHttpEndpoint();
  ({ secret } = await newKey(endpoint.db, await newAccount(endpoint.db, "100")));
});
after(() => endpoint.close());

const BODY = '{"prompt":"Маяк в шторм, снято с вертолёта.","duration":5}';

const post = (framing: string): string =>
  `POST /v1/quote/tasks/seedance-2 HTTP/1.1\r\nhost: x\r\nx-api-key: ${secret}\r\ncontent-type: application/json\r\n${framing}\r\n\r\n`;

interface ErrorBody {
  readonly code: number;
  readonly msg: string;
  readonly requestId: string;
}

/** Sends it, and waits until the connection is closed. */
async function refusalOf(bytes: string, end = false): Promise<ErrorBody> {
  const socket = connect(endpoint.port, "127.0.0.1").setEncoding("utf8");
  let text = "";
  socket.on("data", (part) => (text += String(part)));
  if (end) socket.end(bytes);
  else socket.write(bytes);
  await once(socket, "close");
  assert.equal(text.split("HTTP/1.1 ").length, 2, `one answer: ${text}`);
  const body = JSON.parse(text.slice(text.indexOf("\r\n\r\n") + 4)) as ErrorBody;
  assert.deepEqual(createMistakeFinder(TaskErrorBody)(body), []);
  assert.match(
    text,
    new RegExp(`^HTTP/1\\.1 ${body.code} [^]*\r\nx-request-id: ${body.requestId}\r\n`),
  );
  assert.match(text, /\r\ndate: \w{3}, \d\d \w{3} \d{4} /i);
  return body;
}

test("a body whose framing breaks is a 400 in the form of its path, under the id that the log has", async () => {
  for (const [chunks, status] of [
    ["zz\r\n{}\r\n0\r\n\r\n", 400],
    ["ffffffffffffffffff\r\n{}", 400],
    [`2;${"x".repeat(20_000)}\r\n{}\r\n0\r\n\r\n`, 413],
  ] as const) {
    const logged = endpoint.lines.length;
    const { code, requestId } = await refusalOf(post("transfer-encoding: chunked") + chunks);
    const own = (): typeof endpoint.lines =>
      endpoint.lines.slice(logged).filter(([, fields]) => fields["requestId"] === requestId);
    await until("its line in the log", async () => own().length > 0);
    assert.deepEqual([code, own().map(([, fields]) => fields["status"])], [status, [status]]);
  }
});

test("a body that ends with its connection is a 400 that says so", async () => {
  const { code, msg } = await refusalOf(`${post("content-length: 500")}${BODY}`, true);
  assert.deepEqual([code, msg], [400, "The connection ended before the request was complete."]);
});

test("who counts letters instead of bytes, or nothing at all, hears what became of the body before the connection closes", async () => {
  const counted = await refusalOf(`${post(`content-length: ${BODY.length}`)}${BODY}`);
  assert.deepEqual(
    [counted.code, counted.msg.startsWith("The body is not valid")],
    [400, true],
    counted.msg,
  );
  const uncounted = await refusalOf(post("accept: */*") + BODY);
  assert.deepEqual(
    [uncounted.code, uncounted.msg],
    [400, "The body is empty. Send a JSON object."],
  );
});

test("a whole request is answered before what is no HTTP behind it closes the connection", async () => {
  const whole = `${post(`content-length: ${Buffer.byteLength(BODY)}`)}${BODY}`;
  const { status, text } = await rawHttp(endpoint.port, `${whole}${whole}NOT HTTP\r\n\r\n`, 1_000);
  assert.equal(status, 200);
  assert.equal(text.match(/"amount":"40"/g)?.length, 2);
  assert.equal(text.split("HTTP/1.1 ").length, 3);
});

test("a path that cannot be read is refused in the form of the endpoint that it begins with", async () => {
  for (const [path, status] of [
    ["/v1/tasks/%zz?x", 400],
    ["/v1/storage/files/a%", 400],
    ["/v1/quote/tasks/..", 404],
  ] as const) {
    const { code } = await refusalOf(
      `POST ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`,
    );
    assert.equal(code, status, path);
  }
});
