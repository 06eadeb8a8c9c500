/**
 * Protects: what a bundle serves is what the sources serve (API, panel, documents, files looked
 * into by processes of their own, the sandbox), and a changed source is served with the next start.
 */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, test } from "node:test";
import sharp from "sharp";
import { runInShell, secretIn, startTollgate } from "../support/start-tollgate.ts";
import { tollgateEnvironment } from "../support/tollgate-environment.ts";
import { until } from "../support/until.ts";

const ROOT = join(import.meta.dirname, "../..");
const PARTS = [
  "package.json",
  "package-lock.json",
  "CHANGELOG.md",
  "catalogue.yaml",
  "bin",
  "tools",
  "packages",
  "src",
  "sandbox",
  "migrations",
  "panel",
] as const;

const folder = mkdtempSync(join(tmpdir(), "bundle-"));
// PostgreSQL runs under another user where we are root.
chmodSync(folder, 0o711);
after(() => rmSync(folder, { recursive: true, force: true }));

/** The project on its own sources, with the packages of this one. */
const root = join(folder, "project");
mkdirSync(root);
for (const name of PARTS)
  cpSync(join(ROOT, name), join(root, name), {
    recursive: true,
    filter: (path) => basename(path) !== "node_modules",
  });
for (const name of ["node_modules", "panel/node_modules"])
  if (existsSync(join(ROOT, name))) symlinkSync(join(ROOT, name), join(root, name));
const command = join(root, "bin/tollgate.mjs");
const bundles = join(root, "dist/serving");

function newestBundle(): string {
  return join(bundles, readFileSync(join(bundles, "newest"), "utf8"));
}

function usersOf(bundle: string): string[] {
  return readdirSync(bundle).filter((name) => name.startsWith("used-by-"));
}

function makeBundle(): void {
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(root, "tools/make-serving-bundle.mjs"), root],
    { cwd: root, env: tollgateEnvironment({}), encoding: "utf8", timeout: 120_000 },
  );
  assert.equal(status, 0, stderr);
}

test(
  "a start from the bundle serves everything, and a changed source is run from the next start on",
  { timeout: 240_000 },
  async () => {
    makeBundle();
    const bundle = newestBundle();
    makeBundle();
    assert.equal(newestBundle(), bundle, "one that fits is not made again");

    const place = join(folder, "place");
    mkdirSync(place);
    chmodSync(place, 0o711);
    const first = await startTollgate(place, {}, command);
    const user = usersOf(bundle);
    assert.equal(user.length, 1, "it is run from the bundle");
    for (const path of ["/readyz", "/panel/", "/docs", "/openapi.json", "/en", "/metrics"])
      assert.equal((await fetch(`${first.url}${path}`)).status, 200, path);
    assert.match(await runInShell(`${first.curl} -sS`), /data: \[DONE\]/);
    const headers = { "x-api-key": secretIn(first.text) ?? "" };
    const ask = async (path: string, init: RequestInit = {}): Promise<Record<string, string>> => {
      const answer = await fetch(first.url + path, {
        ...init,
        headers: { ...headers, ...(init.headers as object) },
      });
      const text = await answer.text();
      assert.equal(answer.status, 200, `${path}: ${text}`);
      return (JSON.parse(text) as { data: Record<string, string> }).data;
    };
    const picture = await sharp({
      create: { width: 64, height: 48, channels: 3, background: "teal" },
    })
      .png()
      .toBuffer();
    const form = new FormData();
    form.set("file", new Blob([new Uint8Array(picture)]), "photo.png");
    const { url } = await ask("/v1/storage/upload", { method: "POST", body: form });
    const { taskId } = await ask("/v1/tasks/nano-banana-2", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ prompt: "A fox.", imageUrls: [url] }),
    });
    assert.equal((await ask(`/v1/tasks/${taskId}?wait=60`))["state"], "completed");
    assert.equal(await first.stop(), 0);

    const several = await startTollgate(place, { WORKERS: "2" }, command);
    assert.equal((await fetch(`${several.url}/readyz`)).status, 200);
    assert.equal(await several.stop(), 0);
    const other = usersOf(bundle);
    assert.deepEqual([other.length, other[0] === user[0]], [1, false]);

    const introduction = join(root, "src/cli/introduce.ts");
    const text = readFileSync(introduction, "utf8");
    writeFileSync(introduction, text.replace("Tollgate is running.", "Tollgate is running anew."));
    const changed = await startTollgate(place, {}, command);
    assert.match(changed.text, /running anew/);
    assert.equal(await changed.stop(), 0);
    assert.deepEqual(usersOf(bundle), other, "it is not run from the bundle");
  },
);

test("what makes a bundle ends with the start that wanted it, and leaves nothing", async () => {
  const kept = newestBundle();
  const temporary = join(folder, "temporary");
  mkdirSync(temporary);
  chmodSync(temporary, 0o711);
  const maker = spawn(process.execPath, [join(root, "tools/make-serving-bundle.mjs"), root], {
    cwd: root,
    env: tollgateEnvironment({ TMPDIR: temporary }),
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const ended = once(maker, "exit");
  await until("its trial has begun", async () => readdirSync(temporary).length > 0);
  maker.disconnect();
  await ended;
  assert.equal(newestBundle(), kept);
  assert.deepEqual(readdirSync(temporary), []);
});

test("a bundle that does not serve is never found, and nothing of it stays", () => {
  const kept = newestBundle();
  const program = join(root, "src/main/start.ts");
  writeFileSync(program, `throw new Error("broken");\n${readFileSync(program, "utf8")}`);
  assert.throws(makeBundle, /does not serve/);
  assert.equal(newestBundle(), kept);
  assert.deepEqual(
    readdirSync(bundles).filter((name) => name !== "newest"),
    [basename(kept)],
  );
  assert.equal(existsSync(join(root, "dist/serving.lock")), false);
});
