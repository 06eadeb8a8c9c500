/**
 * What machines and people ask before they have a key: probes, pages, figures (contract §5, §11).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { openHttpEndpoint, type HttpEndpoint } from "../../../test/support/http-endpoint.ts";
import { createMistakeFinder } from "../../contract/find-mistakes.ts";
import { Health, Readiness } from "../../contract/health.ts";

let endpoint: HttpEndpoint;
before(async () => {
  endpoint = await openHttpEndpoint();
});
after(() => endpoint.close());

test("alive is alive, by GET and by HEAD, with and without a slash at the end", async () => {
  for (const path of ["/healthz", "/livez", "/api/hello", "/api/hello/"]) {
    const answer = await endpoint.get(path);
    assert.deepEqual(
      [
        answer.status,
        createMistakeFinder(Health)(answer.json()),
        answer.headers.get("cache-control"),
      ],
      [200, [], "no-store"],
    );
    const head = await fetch(`${endpoint.url}${path}`, { method: "HEAD" });
    assert.deepEqual([head.status, await head.text()], [200, ""]);
  }
  assert.equal((await fetch(endpoint.url, { method: "HEAD" })).status, 200);
});

test("ready turns into 503 with the reason while the process drains, and back", async () => {
  const mistakes = createMistakeFinder(Readiness);
  const ready = await endpoint.get("/readyz");
  assert.deepEqual(
    [ready.status, ready.json(), mistakes(ready.json())],
    [200, { status: "ready", checks: { database: "ok" } }, []],
  );
  endpoint.readiness = { ok: false, checks: { database: "ok", draining: "in progress" } };
  const draining = await endpoint.get("/readyz");
  assert.deepEqual(
    [draining.status, draining.json(), mistakes(draining.json())],
    [503, { status: "not ready", checks: { database: "ok", draining: "in progress" } }, []],
  );
  assert.equal((await endpoint.get("/healthz")).status, 200, "a draining process is alive");
  endpoint.readiness = { ok: true, checks: {} };
  assert.equal((await endpoint.get("/readyz")).status, 200);
});

test("figures are for the private network only, and not through a proxy", async () => {
  const answer = await endpoint.get("/metrics");
  assert.equal(answer.status, 200);
  assert.match(answer.headers.get("content-type") ?? "", /^text\/plain; version=0\.0\.4/);
  assert.match(answer.text, /^# TYPE tollgate_http_requests_total counter$/m);
  assert.match(answer.text, /^process_cpu_seconds_total /m);
  for (const headers of [
    { "x-forwarded-for": "203.0.113.7" },
    { forwarded: "for=10.0.0.1" },
    { "x-real-ip": "10.0.0.1" },
    { via: "1.1 proxy" },
  ]) {
    assert.equal((await endpoint.get("/metrics", headers)).status, 403);
  }
});

test("the index is text for programs and a page for browsers; the panel that was not built says how to build it", async () => {
  const text = await endpoint.get("/", { accept: "*/*" });
  assert.match(text.headers.get("content-type") ?? "", /^text\/plain/);
  assert.match(text.text, /\/docs/);
  const html = await endpoint.get("/", { accept: "text/html,*/*" });
  for (const path of ["/ru/docs", "/panel"])
    assert.match(html.text, new RegExp(`<a href="${path}"`), path);
  const loaded = [...html.text.matchAll(/ src="([^"]+)"/g)].map(([, path = ""]) => path);
  assert.ok(loaded.length > 0 && loaded.every((path) => path.startsWith("/site/")));
  const panel = await endpoint.get("/panel");
  assert.match(panel.text, /ещё не собрана[^]*npm start[^]*not built yet/);
  for (const page of [html, panel]) {
    assert.match(
      page.headers.get("content-security-policy") ?? "",
      /default-src 'none'.*frame-ancestors 'none'/,
    );
  }
  assert.doesNotMatch(panel.text, /<script|https?:/);
});

test("the docs load nothing from anywhere else, and their policy would not let them", async () => {
  const page = await endpoint.get("/docs");
  const policy = page.headers.get("content-security-policy") ?? "";
  assert.match(policy, /default-src 'none'; script-src 'self';/);
  assert.doesNotMatch(policy, /https?:|\*|script-src[^;]*unsafe/);
  assert.doesNotMatch(page.text, /https?:|<script>(?!<)/);
  const scripts = [...page.text.matchAll(/src="([^"]+)"/g)].map(([, path]) => path ?? "");
  assert.deepEqual(scripts, ["/docs/viewer.js", "/docs/start.js"]);
  for (const path of scripts) {
    const script = await endpoint.get(path);
    assert.deepEqual(
      [script.status, script.headers.get("content-type")],
      [200, "text/javascript; charset=utf-8"],
    );
  }
  assert.match((await endpoint.get("/docs/start.js")).text, /"url":"\/openapi\.json"/);
});

test("the viewer's script is sent compressed, and not again to who has it", async () => {
  const plain = await endpoint.get("/docs/viewer.js", { "accept-encoding": "identity" });
  assert.ok(plain.text.includes("createApiReference"));
  assert.equal(plain.headers.get("content-encoding"), null);
  // fetch decompresses by itself, so the bytes on the wire are asked for with a client that does
  // not.
  const { request } = await import("node:http");
  const wire = await new Promise<Buffer>((resolve, reject) => {
    const outgoing = request(
      `${endpoint.url}/docs/viewer.js`,
      { headers: { "accept-encoding": "gzip" } },
      (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part: Buffer) => parts.push(part));
        response.on("end", () => resolve(Buffer.concat(parts)));
      },
    );
    outgoing.on("error", reject);
    outgoing.end();
  });
  assert.ok(wire.length < plain.text.length / 2);
  assert.equal(gunzipSync(wire).toString(), plain.text);
  const known = await endpoint.get("/docs/viewer.js", {
    "if-none-match": plain.headers.get("etag") ?? "",
  });
  assert.deepEqual([known.status, known.text], [304, ""]);
});
