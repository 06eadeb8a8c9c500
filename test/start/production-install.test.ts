/**
 * Protects: an installation without development packages serves all that the project promises, from
 * a tree that it cannot write, under any user.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { chooseServerUser } from "#embedded-postgres/server-user.ts";
import { startGateway } from "../support/gateway-process.ts";
import { tollgateEnvironment } from "../support/tollgate-environment.ts";
import { productionTree } from "./production-tree.ts";

/** One that no machine knows, as containers are given; only root may take it. */
const UNKNOWN_USER = process.getuid?.() === 0 ? { uid: 10_001, gid: 10_001 } : null;

const tree = productionTree();
const folder = mkdtempSync(join(tmpdir(), "production-data-"));
chmodSync(folder, 0o711);
after(() => {
  tree[Symbol.dispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** The pinned Node of the tree itself: ours may lie where the other user cannot go. */
function nodeOf(root: string): string {
  const own = join(root, "node_modules", `node-${process.platform}-${process.arch}`, "bin", "node");
  return existsSync(own) ? own : process.execPath;
}

test("npm ci --omit=dev beside a built panel serves API, panel and docs from a tree that another user owns, and writes nothing there", async () => {
  assert.equal(existsSync(join(tree.root, "node_modules/vite")), false, "no development package");
  const before = tree.listing();
  // PostgreSQL runs under a user of this machine alone: the one that root would choose for it.
  const user = chooseServerUser(join(folder, "none"));
  const dataDir = mkdtempSync(join(folder, "data-"));
  if (user !== null) chownSync(dataDir, user.uid, user.gid);
  const args = [join(tree.root, "tools/launch.mjs"), "tollgate", "serve"];
  await using gateway = await startGateway({
    databaseUrl: null,
    catalogue: "",
    dataDir,
    env: {
      CATALOGUE: join(tree.root, "catalogue.yaml"),
      SANDBOX_PORT: "0",
      NODE_ENV: "production",
      SESSION_SECRET: "a-secret-of-the-test-and-of-nothing-else-at-all",
      TMPDIR: dataDir,
      PATH: "/usr/local/bin:/usr/bin:/bin",
    },
    launch: { program: nodeOf(tree.root), args, cwd: tree.root, user },
  });
  for (const path of ["/readyz", "/panel/", "/docs", "/openapi.json"]) {
    const answer = await fetch(`${gateway.url}${path}`);
    assert.equal(answer.status, 200, `${path}: ${await answer.text()}`);
  }
  assert.doesNotMatch(gateway.output(), /installing|building|could not/);
  await gateway.stop();
  assert.deepEqual(tree.listing(), before);
});

test("any user may run its commands, one that the machine does not know, too", () => {
  const { status, stdout, stderr } = spawnSync(
    nodeOf(tree.root),
    [
      join(tree.root, "tools/launch.mjs"),
      "tollgate",
      "catalogue",
      "check",
      join(tree.root, "catalogue.yaml"),
    ],
    {
      cwd: tree.root,
      env: tollgateEnvironment({}),
      encoding: "utf8",
      timeout: 60_000,
      ...UNKNOWN_USER,
    },
  );
  assert.equal(status, 0, stdout + stderr);
  assert.match(stdout, /in order/);
});
