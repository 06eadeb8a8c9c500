/**
 * Protects: JSON that is asked for packed comes packed and whole, and nothing is packed that a
 * secret shares with foreign text.
 */
import assert from "node:assert/strict";
import { get, request, type IncomingHttpHeaders } from "node:http";
import { after, before, test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { openHttpEndpoint, type HttpEndpoint } from "../../test/support/http-endpoint.ts";
import { newAccount, newKey } from "../../test/support/new-customer.ts";

let endpoint: HttpEndpoint;
let secret: string;
before(async () => {
  endpoint = await openHttpEndpoint();
  ({ secret } = await newKey(endpoint.db, await newAccount(endpoint.db)));
});
after(() => endpoint.close());

interface Raw {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** As bytes: fetch unpacks. */
function ask(
  path: string,
  headers: Record<string, string>,
  method = "GET",
  body?: string,
): Promise<Raw> {
  const { promise, resolve, reject } = Promise.withResolvers<Raw>();
  const options = { method, headers: { "x-api-key": secret, ...headers } };
  const sent = (method === "GET" ? get : request)(`${endpoint.url}${path}`, options, (response) => {
    const parts: Buffer[] = [];
    response.on("data", (part: Buffer) => parts.push(part));
    response.on("end", () =>
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        body: Buffer.concat(parts),
      }),
    );
  });
  sent.on("error", reject);
  sent.end(body);
  return promise;
}

test("a list comes by the best encoding that the caller takes, with its true length, and says what it depends on", async () => {
  const plain = await ask("/openapi.json", {});
  assert.equal(plain.headers["content-encoding"], undefined);
  for (const [accepted, encoding, unpack] of [
    ["br, gzip", "br", brotliDecompressSync],
    ["gzip, deflate", "gzip", gunzipSync],
    ["br;q=0, gzip", "gzip", gunzipSync],
  ] as const) {
    const packed = await ask("/openapi.json", { "accept-encoding": accepted });
    assert.equal(packed.headers["content-encoding"], encoding, accepted);
    assert.deepEqual(unpack(packed.body), plain.body);
    assert.equal(packed.headers["content-length"], String(packed.body.length));
    assert.ok(
      packed.body.length * 5 < plain.body.length,
      `${packed.body.length} of ${plain.body.length}`,
    );
    const head = await ask("/openapi.json", { "accept-encoding": accepted }, "HEAD");
    assert.deepEqual(
      [head.headers["content-encoding"], head.headers["content-length"]],
      [encoding, String(packed.body.length)],
    );
  }
  for (const accepted of ["identity", "deflate", "br;q=0"])
    assert.deepEqual(
      (await ask("/openapi.json", { "accept-encoding": accepted })).body,
      plain.body,
      accepted,
    );
  assert.equal(plain.headers["vary"], "accept-encoding");
  assert.equal(
    (await ask("/v1/models", { "accept-encoding": "br" })).headers["vary"],
    "anthropic-version, accept-encoding",
  );
});

test("what is short, refused, or asked for with POST goes out as it is", async () => {
  const packed = { "accept-encoding": "br, gzip", "content-type": "application/json" };
  const long = "x".repeat(5000);
  const answers = [
    await ask("/v1/balance", packed),
    await ask(`/v1/models/${long}`, packed),
    await ask("/v1/requests?limit=0", packed),
    await ask(
      "/v1/quote/chat/completions",
      packed,
      "POST",
      JSON.stringify({ model: "m", messages: [{ role: "user", content: long }] }),
    ),
  ];
  assert.deepEqual(
    answers.map(({ status, headers }) => [status, headers["content-encoding"]]),
    [
      [200, undefined],
      [404, undefined],
      [400, undefined],
      [404, undefined],
    ],
  );
  for (const { body } of answers) assert.doesNotThrow(() => JSON.parse(body.toString()) as unknown);
});
