/**
 * Protects: the panel's pages come with their policy, packed as the browser likes, and no request
 * reaches a file that the build did not make.
 */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import {
  openPanelEndpoint,
  panelMember,
  type PanelEndpoint,
} from "../../../test/support/panel-endpoint.ts";
import { newUuid } from "../../kernel/ids.ts";
import { memberRoute } from "./member-route.ts";
import { NO_PAGES, panelPagesRoutes } from "./panel-pages.ts";
import { readBuiltPanel } from "./read-built-panel.ts";

const INDEX = "<!doctype html><title>the panel</title>";
/** With what the installation is called. */
const SENT = "<!doctype html><title>Tollgate</title>";
const SCRIPT = "console.log('the panel');".repeat(50);
const folder = mkdtempSync(join(tmpdir(), "panel-"));
let endpoint: PanelEndpoint;

interface Wire {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
}

/** As it is on the wire: the path is sent as written, and nothing is unpacked. */
function ask(
  path: string,
  headers: Readonly<Record<string, string>> = {},
  method = "GET",
): Promise<Wire> {
  const { promise, resolve, reject } = Promise.withResolvers<Wire>();
  const { hostname, port } = new URL(endpoint.url);
  const outgoing = request({ hostname, port, path, headers, method }, (response) => {
    const parts: Buffer[] = [];
    response.on("data", (part: Buffer) => parts.push(part));
    response.on("end", () =>
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        bytes: Buffer.concat(parts),
      }),
    );
  });
  outgoing.on("error", reject);
  outgoing.end();
  return promise;
}

before(async () => {
  const built = join(folder, "dist");
  mkdirSync(join(built, "assets"), { recursive: true });
  writeFileSync(join(folder, "secret.js"), "a secret");
  writeFileSync(join(built, "stamp.json"), "{}");
  writeFileSync(join(built, "index.html"), INDEX);
  writeFileSync(join(built, "assets/main-abc.js"), SCRIPT);
  writeFileSync(join(built, "assets/main-abc.js.br"), brotliCompressSync(SCRIPT));
  writeFileSync(join(built, "assets/main-abc.js.gz"), gzipSync(SCRIPT));
  writeFileSync(join(built, "assets/main-abc.css"), "a{}");
  const someApi = memberRoute("GET /visitor", {
    needs: "viewer",
    handle: () => ({ json: { session: null } }),
  });
  const pages = panelPagesRoutes({
    ...NO_PAGES,
    built: readBuiltPanel(built),
    mediaOrigins: () => ["https://files.example"],
  });
  endpoint = await openPanelEndpoint([...pages, someApi]);
});
after(async () => {
  await endpoint.close();
  rmSync(folder, { recursive: true });
});

test("every address that is no file is the one page, never kept, under a policy that lets in only what is ours", async () => {
  for (const path of [
    "/panel",
    "/panel/",
    "/panel/keys",
    "/panel/keys/0f?x=1",
    "/panel/no/such/page",
    "/panel/apiary",
  ]) {
    const { status, headers, bytes } = await ask(path);
    assert.deepEqual(
      [status, bytes.toString(), headers["cache-control"]],
      [200, SENT, "no-store"],
      path,
    );
    assert.equal(
      headers["content-security-policy"],
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' https://files.example data: blob:; media-src 'self' https://files.example blob:; connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
    assert.equal(headers["x-content-type-options"], "nosniff");
    assert.equal(headers["referrer-policy"], "no-referrer");
    assert.equal(headers["cross-origin-opener-policy"], "same-origin");
    assert.match(String(headers["permissions-policy"]), /camera=\(\)/);
  }
  const head = await ask("/panel/keys", {}, "HEAD");
  assert.deepEqual([head.status, head.bytes.length], [200, 0]);
});

test("a file is kept for ever, and packed as the browser likes", async () => {
  const path = "/panel/assets/main-abc.js";
  const plain = await ask(path);
  assert.deepEqual(
    [plain.status, plain.bytes.toString(), plain.headers["content-encoding"]],
    [200, SCRIPT, undefined],
  );
  assert.equal(plain.headers["cache-control"], "public, max-age=31536000, immutable");
  assert.equal(plain.headers["content-type"], "text/javascript; charset=utf-8");
  assert.equal(plain.headers["vary"], "accept-encoding");
  const brotli = await ask(path, { "accept-encoding": "gzip, deflate, br, zstd" });
  assert.deepEqual(
    [brotli.headers["content-encoding"], brotliDecompressSync(brotli.bytes).toString()],
    ["br", SCRIPT],
  );
  const gzip = await ask(path, { "accept-encoding": "gzip;q=0.5, br;q=0" });
  assert.deepEqual(
    [gzip.headers["content-encoding"], gunzipSync(gzip.bytes).toString()],
    ["gzip", SCRIPT],
  );
  const any = await ask(path, { "accept-encoding": "*" });
  assert.equal(any.headers["content-encoding"], "br");
  const style = await ask("/panel/assets/main-abc.css", { "accept-encoding": "br" });
  assert.deepEqual(
    [style.headers["content-encoding"], style.headers["content-type"]],
    [undefined, "text/css; charset=utf-8"],
  );
});

test("nothing beside the built files is ever sent, however the path is written", async () => {
  const paths = [
    "../index.html",
    "../../secret.js",
    "..%2f..%2fsecret.js",
    "%2e%2e/secret.js",
    "..%5c..%5csecret.js",
    "stamp.json",
    "main-abc.js.br",
    "main-abc.js%00.css",
    "",
    "__proto__",
  ];
  for (const path of paths) {
    const { status, bytes } = await ask(`/panel/assets/${path}`);
    assert.ok(status === 404 || bytes.toString() === SENT, `${path}: ${status}`);
    assert.doesNotMatch(bytes.toString(), /secret/);
  }
});

test("below the API's root there is nothing but the API: no page, whatever the method", async () => {
  const member = panelMember({ accountId: newUuid() });
  assert.equal((await endpoint.ask(member, "GET", "/panel/api/visitor")).status, 200);
  for (const [method, path] of [
    ["GET", "/panel/api"],
    ["GET", "/panel/api/other"],
    ["POST", "/panel/api/other"],
    ["OPTIONS", "/panel/api/other"],
    ["DELETE", "/panel/api/a/b"],
  ] as const) {
    const { status, bytes } = await ask(path, { origin: endpoint.url }, method);
    assert.equal(status, 404, `${method} ${path}`);
    assert.equal(
      (JSON.parse(bytes.toString()) as { error: { code: string } }).error.code,
      "not_found",
    );
  }
  assert.equal((await ask("/panel/keys", { origin: endpoint.url }, "POST")).status, 405);
});

test("a panel that was not built says so, in both languages, and what to do", async () => {
  const bare = await openPanelEndpoint(
    panelPagesRoutes({ ...NO_PAGES, built: readBuiltPanel(join(folder, "gone")) }),
  );
  try {
    for (const path of ["/panel", "/panel/keys"]) {
      const answer = await bare.ask(null, "GET", path);
      assert.equal(answer.status, 503);
      assert.match(answer.text, /npm start[^]*not built yet[^]*npm start/);
      assert.match(answer.headers.get("content-security-policy") ?? "", /default-src 'none'/);
    }
    assert.equal((await bare.ask(null, "GET", "/panel/assets/main-abc.js")).status, 404);
  } finally {
    await bare.close();
  }
});
