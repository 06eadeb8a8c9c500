/**
 * Guarantee: every curl of the public pages works as it is copied, with a key in place of the
 * dots, and answers.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { runInShell, secretIn, startTollgate, type Started } from "../support/start-tollgate.ts";

const ENTITIES: Readonly<Record<string, string>> = {
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&amp;": "&",
};

const folder = mkdtempSync(join(tmpdir(), "site-samples-"));
let tollgate: Started;
let secret: string;
before(async () => {
  tollgate = await startTollgate(folder, {});
  secret = secretIn(tollgate.text) ?? assert.fail("the first start prints a key");
});
after(async () => {
  await tollgate.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function samplesOf(path: string): Promise<string[]> {
  const answer = await fetch(`${tollgate.url}${path}`, { headers: { accept: "text/html" } });
  assert.equal(answer.status, 200, path);
  const blocks = (await answer.text()).matchAll(/<pre[^>]*><code>([^]*?)<\/code><\/pre>/g);
  return [...blocks].map(([, code = ""]) =>
    code
      .replaceAll(/<[^>]*>/g, "")
      .replaceAll(/&(?:lt|gt|quot|#39|amp);/g, (entity) => ENTITIES[entity] ?? entity)
      .replaceAll("tg_live_…", secret),
  );
}

/** Models whose sample takes no media of the web. */
async function calledModels(): Promise<string[]> {
  const answer = await fetch(`${tollgate.url}/v1/models`, { headers: { "x-api-key": secret } });
  const { data } = (await answer.json()) as { data: readonly { id: string; type: string }[] };
  // What is spoken is what is heard.
  const order = ["speech", "transcription"];
  return data
    .filter(({ type }) => type !== "task")
    .toSorted((a, b) => order.indexOf(a.type) - order.indexOf(b.type))
    .map(({ id }) => id);
}

test("every curl of the pages answers", { timeout: 300_000 }, async () => {
  const models = await calledModels();
  assert.ok(models.length >= 8);
  const paths = ["/ru", "/ru/docs", "/ru/docs/money", ...models.map((id) => `/ru/models/${id}`)];
  let ran = 0;
  for (const path of paths) {
    for (const code of await samplesOf(path)) {
      if (!code.startsWith("curl ")) continue;
      const answer = await runInShell(code.replace(/^curl /, "curl -sS --fail "), {}, folder);
      assert.doesNotMatch(answer, /"error":\{/, code);
      ran += 1;
    }
  }
  assert.ok(ran >= 3 + models.length, String(ran));
});

test("each sample names this gateway and nothing else that could be called", async () => {
  const { host } = new URL(tollgate.url);
  for (const path of ["/ru", "/en", "/ru/docs", "/en/docs"]) {
    for (const code of await samplesOf(path)) {
      const hosts = [...code.matchAll(/https?:\/\/([^/"'\s]+)/g)].map(([, found]) => found);
      assert.deepEqual(
        hosts.filter((found) => found !== host && found !== "opencode.ai"),
        [],
        code,
      );
    }
  }
});
