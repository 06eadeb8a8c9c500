/**
 * Guards that all processes of a DATA_DIR have one session secret, which only its user can read.
 */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { keepSessionSecret } from "./keep-session-secret.ts";

test("the secret is made once, long enough, and for its user alone", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "session-secret-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const dataDir = join(folder, "data");
  const secret = keepSessionSecret(dataDir);
  assert.match(secret, /^[0-9a-f]{64}$/);
  assert.equal(keepSessionSecret(dataDir), secret);
  assert.notEqual(keepSessionSecret(join(folder, "other")), secret);
  assert.deepEqual(readdirSync(dataDir), ["session-secret"]);
  assert.equal(statSync(join(dataDir, "session-secret")).mode & 0o777, 0o600);
});
