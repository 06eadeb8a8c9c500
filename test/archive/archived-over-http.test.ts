/**
 * Guarantee: a running gateway goes on serving while the command archives beside it, and its API then
 * has the receipts of archived months, by page and one by one; nothing serves the archive itself.
 */
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { test } from "node:test";
import { startGateway } from "../support/gateway-process.ts";
import { createTollgateCommand } from "../support/tollgate-command.ts";
import { archiveWorld } from "./archive-world.ts";

const CATALOGUE = `
upstreams: { up: { protocol: openai, baseUrl: "http://127.0.0.1:9/v1", apiKeyEnv: KEY } }
models: { m: { type: chat, endpoints: [chat.completions], contextTokens: 9000, maxOutputTokens: 900, price: { input: "1", output: "2" }, routes: [ { upstream: up, model: m } ] } }
`;

interface Listed {
  readonly data: readonly { readonly id: string }[];
  readonly nextCursor: string | null;
}

test("the API has the same receipts before and after `tollgate archive`", async () => {
  await using world = await archiveWorld({ accounts: 2, months: 4, perMonth: 60 });
  const { url } = world.database;
  const env = { KEY: "x", STORAGE_URL: world.storageUrl };
  await using gateway = await startGateway({ databaseUrl: url, catalogue: CATALOGUE, env });
  const ask = async (path: string): Promise<Response> =>
    fetch(gateway.url + path, { headers: { "x-api-key": world.secrets[0] ?? "" } });
  const json = async (path: string): Promise<unknown> => {
    const answer = await ask(path);
    assert.equal(answer.status, 200, path);
    return answer.json();
  };
  async function reading(): Promise<unknown> {
    const pages: Listed[] = [];
    for (let cursor = ""; ;) {
      const page = (await json(`/v1/requests?limit=25${cursor}`)) as Listed;
      pages.push(page);
      if (page.nextCursor === null) break;
      cursor = `&cursor=${page.nextCursor}`;
    }
    const ids = pages.flatMap(({ data }) => data.map(({ id }) => id));
    assert.equal(ids.length, 4 * 30);
    return { pages, one: await json(`/v1/requests/${ids.at(-7)}`) };
  }
  const living = await reading();
  const command = createTollgateCommand({ ...gateway.env, ...env });
  const archived = (await command.json("archive", "--before", world.running)) as {
    readonly months: readonly { readonly month: string; readonly state: string }[];
  };
  assert.deepEqual(
    archived.months.map(({ month, state }) => `${month} ${state}`),
    world.months.map((month) => `${month} dropped`),
  );
  assert.deepEqual(await reading(), living);
  await command.verifyLedger();
  const [last] = (living as { pages: Listed[] }).pages.at(-1)?.data.slice(-1) ?? [];
  const shown = (await command.json("requests", "show", last?.id ?? "")) as { readonly id: string };
  assert.equal(shown.id, last?.id);
  const folder = world.storageUrl.slice("file:".length);
  const files = (await readdir(folder, { recursive: true })).filter((name) =>
    name.endsWith(".parquet"),
  );
  assert.equal(files.length, 4);
  for (const file of files)
    for (const path of [file, file.replace("archive/", ""), file.split("/").at(-1) ?? ""])
      assert.equal((await ask(`/static/${path}`)).status, 404, path);
});
