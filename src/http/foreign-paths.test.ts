/**
 * Protects: a client of another gateway that comes to a path which is not here learns what to use
 * instead, in the form that it reads.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openHttpEndpoint, type HttpEndpoint } from "../../test/support/http-endpoint.ts";
import { foreignPath } from "./foreign-paths.ts";

let endpoint: HttpEndpoint;
before(async () => {
  endpoint = await openHttpEndpoint();
});
after(() => endpoint.close());

type Json = Record<string, unknown>;

const CASES: readonly (readonly [
  path: string,
  family: "openai" | "anthropic" | "tasks",
  use: RegExp,
])[] = [
  ["/v2/rerank", "openai", /POST \/v1\/rerank/],
  ["/v1/engines/gpt/completions", "openai", /model in the body/],
  ["/embeddings", "openai", /lacks its end/],
  ["/v1/complete", "anthropic", /POST \/v1\/messages/],
  ["/v1/messages/batches", "anthropic", /one by one.*Idempotency-Key/],
  ["/v1/batches", "openai", /one by one/],
  ["/v1/images/variations", "openai", /POST \/v1\/images\/edits/],
  ["/v1/images", "openai", /POST \/v1\/images\/generations/],
  ["/v1/videos", "openai", /GET \/v1\/models\?type=task/],
  ["/v1/audio/voices", "openai", /POST \/v1\/audio\/speech/],
  ["/v1/predictions", "tasks", /POST \/v1\/tasks\/\{model\}/],
  ["/api/v1/jobs/createTask", "tasks", /POST \/v1\/tasks\/\{model\}/],
  ["/queue/fal-ai/flux", "tasks", /POST \/v1\/tasks\/\{model\}/],
  ["/v1/files", "openai", /POST \/v1\/storage\/upload/],
  ["/v1/assistants", "openai", /POST \/v1\/chat\/completions/],
  ["/api/v1/credits", "openai", /GET \/v1\/balance/],
  ["/dashboard/billing/subscription", "openai", /GET \/v1\/balance/],
  ["/api/v1/auth/key", "openai", /GET \/v1\/key/],
  ["/api/v1/generation", "openai", /GET \/v1\/requests/],
  ["/model/info", "openai", /GET \/v1\/models/],
  ["/v1beta/models/gemini-3:generateContent", "openai", /POST \/v1\/chat\/completions/],
  ["/openai/deployments/gpt/chat/completions", "openai", /model in the body/],
  ["/anthropic/v1/messages", "anthropic", /no \/anthropic here/],
  ["/api/chat", "openai", /OpenAI-compatible base URL/],
  ["/v1/v1/messages", "anthropic", /once too often/],
  ["/v1/v1/models", "openai", /once too often/],
  ["/messages", "anthropic", /lacks its end/],
  ["/chat/completions", "openai", /lacks its end/],
  ["/openai/v1/models", "openai", /no \/openai here/],
  ["/v1/organizations", "openai", /in the panel/],
  ["/api/v1/models", "openai", /no \/api here/],
  ["/v1/responses", "openai", /POST \/v1\/chat\/completions/],
];

/** The text of an error where its family has it; fails where the body is of another family. */
function messageOf(family: string, body: Json): string {
  const error = body["error"] as Json | undefined;
  if (family === "tasks") assert.equal(body["code"], 404);
  else assert.equal(body["type"], family === "anthropic" ? "error" : undefined);
  return String(family === "tasks" ? body["msg"] : error?.["message"]);
}

test("each path that other gateways have is a 404 in the family of the path, with what to use instead", async () => {
  for (const [path, family, use] of CASES) {
    const answer = await endpoint.post(path, {});
    assert.equal(answer.status, 404, path);
    assert.match(messageOf(family, answer.json<Json>()), use, path);
  }
});

test("no such word is said of a path that is served, and nothing is claimed of an unknown one", async () => {
  const { paths } = (await endpoint.get("/openapi.json")).json<{ paths: Json }>();
  for (const path of Object.keys(paths))
    assert.equal(foreignPath(path.replaceAll(/\{\w+\}/g, "x")), null, path);
  const unknown = await endpoint.get("/v1/nonsense");
  assert.match(messageOf("openai", unknown.json<Json>()), /lists what there is\.$/);
});
