/**
 * Protects: who kills the whole of `npm start` in the middle of tasks, the built-in upstream with
 * it, finds each of them made and paid once.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import sharp from "sharp";
import { secretIn, startTollgate } from "../support/start-tollgate.ts";
import { createTollgateCommand } from "../support/tollgate-command.ts";

const folder = mkdtempSync(join(tmpdir(), "killed-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/**
 * Both addresses are to be the same after the restart, as they are where no operator changes them.
 */
async function freePort(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return String(port);
}

interface Answer {
  readonly data: {
    readonly url: string;
    readonly taskId: string;
    readonly state: string;
    readonly cost: { readonly amount: string; readonly state: string };
  };
}

test("kill -9 of everything, and the next start ends what had begun", async () => {
  const settings = { PORT: await freePort(), SANDBOX_PORT: await freePort() };
  const first = await startTollgate(folder, settings);
  const headers = { "x-api-key": secretIn(first.text) ?? "" };
  const ask = async (path: string, init: RequestInit = {}): Promise<Answer["data"]> => {
    const answer = await fetch(first.url + path, {
      ...init,
      headers: { ...headers, ...(init.headers as object) },
    });
    const text = await answer.text();
    assert.equal(answer.status, 200, text);
    return (JSON.parse(text) as Answer).data;
  };
  const order = async (body: object): Promise<string> =>
    (
      await ask("/v1/tasks/nano-banana-2", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      })
    ).taskId;
  const form = new FormData();
  const picture = await sharp({ create: { width: 64, height: 64, channels: 3, background: "red" } })
    .png()
    .toBuffer();
  form.append("file", new Blob([new Uint8Array(picture)]), "red.png");
  const { url } = await ask("/v1/storage/upload", { method: "POST", body: form });
  const ids = [
    await order({ prompt: "[[sandbox: run=4000]] A fox." }),
    await order({ prompt: "[[sandbox: run=4000]] A fox.", imageUrls: [url] }),
  ];
  for (const id of ids) while ((await ask(`/v1/tasks/${id}`)).state === "queued");
  await first.kill();

  const second = await startTollgate(folder, settings);
  assert.equal(second.url, first.url);
  for (const id of ids) {
    const { state, cost } = await ask(`/v1/tasks/${id}?wait=60`);
    assert.deepEqual([state, cost.state], ["completed", "charged"]);
  }
  const balance = await fetch(`${second.url}/v1/balance`, { headers });
  assert.deepEqual(await balance.json(), {
    balance: "989",
    held: "0",
    available: "989",
    currency: "RUB",
  });
  assert.equal(await second.stop(), 0);
  await createTollgateCommand({ DATA_DIR: join(folder, "data") }).verifyLedger();
});
