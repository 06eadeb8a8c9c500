/**
 * Protects: the panel opens quickly over a slow line, and runs under its own policy: what the first
 * page loads stays below 200 kB.
 */
import assert from "node:assert/strict";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { buildPanel, openPanelBrowserScene } from "../support/panel-browser.ts";
import { testDatabase } from "../support/database.ts";
import { startGateway } from "../support/gateway-process.ts";

const LIMIT_BYTES = 200_000;
const CATALOGUE = `
upstreams: { up: { protocol: openai, baseUrl: "https://up.example", apiKeyEnv: KEY } }
models:
  small: { type: chat, endpoints: [chat.completions], contextTokens: 9000, maxOutputTokens: 900, price: { input: "1", output: "2" }, routes: [ { upstream: up, model: m } ] }
`;

/**
 * By gzip, which browsers take over plain HTTP too; over TLS they take brotli, which is smaller.
 */
function zippedSize(pathname: string): number {
  const path = join(import.meta.dirname, "../../panel/dist", pathname.replace("/panel/", ""));
  return statSync(existsSync(`${path}.gz`) ? `${path}.gz` : path).size;
}

test(
  "the first load of the log-in and of the overview, compressed",
  { timeout: 300_000 },
  async (t) => {
    buildPanel();
    const database = await testDatabase();
    t.after(() => database.drop());
    await using gateway = await startGateway({
      databaseUrl: database.url,
      catalogue: CATALOGUE,
      env: { KEY: "k" },
    });
    const scene = await openPanelBrowserScene(gateway);
    try {
      for (const [name, tab, path] of [
        ["log-in", await scene.openTab(null), "/log-in"],
        ["overview", await scene.openMember(), "/"],
      ] as const) {
        const sizes = new Map<string, number>();
        tab.page.on("requestfinished", (request) => {
          if (request.resourceType() === "script")
            sizes.set(request.url(), zippedSize(new URL(request.url()).pathname));
        });
        await tab.open(path);
        await tab.page.waitForLoadState("networkidle");
        const total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
        t.diagnostic(`${name}: ${total} bytes of script in ${sizes.size} files`);
        assert.ok(sizes.size > 0);
        assert.ok(total < LIMIT_BYTES, `${name}: ${total} bytes: ${JSON.stringify([...sizes])}`);
        assert.deepEqual(tab.complaints, []);
        await tab.close();
      }
    } finally {
      await scene.close();
    }
  },
);
