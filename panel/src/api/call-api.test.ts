/**
 * Protects: the panel calls only what the table of its API's routes has, with what a route takes,
 * and knows what it answers: anything else does not compile.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { apiUrl, deleteApi, postApi, postRaw, readApi } from "./call-api.ts";

test("a path is filled with its parameters, and a query is what is not empty", () => {
  assert.equal(
    apiUrl("GET /requests.csv", { query: { model: "a/b c", from: "", kind: undefined } }),
    "/panel/api/requests.csv?model=a%2Fb+c",
  );
  assert.equal(
    apiUrl("DELETE /files/{name}", { params: { name: "../keys?x=1" } }),
    "/panel/api/files/..%2Fkeys%3Fx%3D1",
  );
  assert.equal(
    apiUrl("POST /quote/tasks/{+model}", { params: { model: "vendor/film 2" } }),
    "/panel/api/quote/tasks/vendor/film%202",
  );
});

/** The compiler's own tests: each `@ts-expect-error` is an error where the next line is none. */
test("a call has the table's path, parameters, query, body and answer, or does not compile", () => {
  const calls = [
    () => readApi("/keys", { query: { deleted: "true" } }),
    // @ts-expect-error: not in the table
    () => readApi("/kees"),
    // @ts-expect-error: there, but not by GET
    () => readApi("/log-out"),
    // @ts-expect-error: answers with a file
    () => readApi("/requests.csv"),
    // @ts-expect-error: without its parameter
    () => readApi("/keys/{hash}"),
    // @ts-expect-error: another parameter
    () => deleteApi("/keys/{hash}", { params: { id: "x" } }),
    // @ts-expect-error: no such word in the query
    () => readApi("/keys", { query: { removed: "true" } }),
    // @ts-expect-error: without what its query needs
    () => readApi("/operator/margin", { query: { from: "2026-11-01" } }),
    () => postApi("/log-out"),
    // @ts-expect-error: without its body
    () => postApi("/log-in"),
    // @ts-expect-error: another body
    () => postApi("/keys/{hash}/roll", { params: { hash: "x" }, body: { overlapHours: "1" } }),
    // @ts-expect-error: read by the route itself
    () => postApi("/playground/files"),
    () => postRaw("/playground/quote/messages", { headers: {}, body: {} }),
    async () => (await readApi("/keys")).data[0]?.mask.length,
    // @ts-expect-error: no such field in the answer
    async () => (await readApi("/keys")).data[0]?.secret,
  ];
  assert.ok(calls.length > 0);
});
