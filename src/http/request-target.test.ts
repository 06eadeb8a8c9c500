/**
 * Guards the one reading of a target: what two readers could read differently is refused before any
 * of them sees it (hazards §202).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readRequestTarget } from "./request-target.ts";

function pathOf(raw: string): string | null {
  const reading = readRequestTarget(raw);
  return reading.ok ? reading.target.path : null;
}

test("one path has one spelling: slash at the end, absolute form and needless percent-encoding make no difference", () => {
  for (const raw of [
    "/v1/balance",
    "/v1/balance/",
    "/v1/balance?a=b",
    "/v1/%62alance",
    "/v1/b%61lance/?x",
    "http://other.example/v1/balance",
    "HTTPS://u:p@[::1]:99/v1/balance/",
  ]) {
    assert.equal(pathOf(raw), "/v1/balance", raw);
  }
});

test("the root and the query survive", () => {
  assert.deepEqual(readRequestTarget("http://x"), { ok: true, target: { path: "/", query: "" } });
  assert.deepEqual(readRequestTarget("/?a=/../%2f"), {
    ok: true,
    target: { path: "/", query: "a=/../%2f" },
  });
});

test("an encoded slash stays encoded, so that a model id can hold one without changing the path", () => {
  assert.equal(pathOf("/v1/models/a%2fb/c"), "/v1/models/a%2Fb/c");
});

test("empty segments, dot segments and backslashes are not found, in every spelling", () => {
  for (const raw of [
    "//v1/balance",
    "/v1//balance",
    "/v1/balance//",
    "/docs/../v1/balance",
    "/docs/%2e%2e/v1/balance",
    "/docs/%2E./v1/balance",
    "/./v1/balance",
    "/v1/.",
    "/v1\\balance",
    "http://x//v1/balance",
    "v1/balance",
    "*",
    "",
  ]) {
    const reading = readRequestTarget(raw);
    assert.equal(reading.ok, false, raw);
  }
});

test("broken percent-encoding, fragments and bytes outside visible ASCII are bad requests", () => {
  for (const raw of [
    "/v1/%",
    "/v1/%zz",
    "/v1/%ff",
    "/v1/%c3%28",
    "/v1/balance#x",
    "/v1/\u00e9",
    "/v1/a b",
  ]) {
    const reading = readRequestTarget(raw);
    assert.equal(reading.ok ? null : reading.fault.status, 400, raw);
  }
});

test("reading never throws, and what was read is read the same again", () => {
  fc.assert(
    fc.property(
      fc.string({
        unit: fc.constantFrom(
          "/",
          ".",
          "%",
          "2",
          "e",
          "f",
          "F",
          "?",
          "#",
          "\\",
          "v",
          "1",
          ";",
          "h",
          "t",
          "p",
          ":",
          "é",
          " ",
        ),
      }),
      (raw) => {
        const first = readRequestTarget(raw);
        if (!first.ok) return;
        assert.match(first.target.path, /^\//);
        assert.deepEqual(readRequestTarget(first.target.path), {
          ok: true,
          target: { path: first.target.path, query: "" },
        });
      },
    ),
    { numRuns: 2_000 },
  );
});
