/**
 * Protects: a start that cannot be ends with 1, and its last line says which setting is wrong and
 * what to do.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { startTollgate } from "../support/start-tollgate.ts";
import { createTollgateCommand } from "../support/tollgate-command.ts";
import type { Settings } from "../support/tollgate-environment.ts";

const folder = mkdtempSync(join(tmpdir(), "refused-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** All that a start said which ended by itself. */
async function lastWords(settings: Settings): Promise<string[]> {
  const [, ...lines] = await startTollgate(folder, settings).then(
    () => assert.fail("it started"),
    (error: unknown) => String(error).split("\n"),
  );
  return lines;
}

test("a DATA_DIR that cannot be is told in one line", async () => {
  const file = join(folder, "file");
  writeFileSync(file, "");
  const reported = `DATA_DIR: ${file}/data cannot be used: ${file} is not a folder. Set DATA_DIR to a folder that this user may write.`;
  assert.deepEqual(await lastWords({ DATA_DIR: join(file, "data") }), [reported]);
});

test(
  "a command tells the same, also where folders cannot be made at all",
  { skip: process.platform !== "linux" },
  async () => {
    for (const DATA_DIR of [join(folder, "file", "data"), "/proc/tollgate/data"]) {
      const { code, stderr } = await createTollgateCommand({ DATA_DIR }).run("accounts", "list");
      assert.equal(code, 1);
      assert.match(
        stderr,
        /^tollgate accounts list: DATA_DIR: \S+ cannot be used: .* Set DATA_DIR to a folder that this user may write\.\n$/,
      );
    }
  },
);

test("a STORAGE_URL that cannot be is told in one line, also where folders cannot be made at all", async () => {
  const file = join(folder, "not-a-folder");
  writeFileSync(file, "");
  const places: [string, string][] = [[`${file}/files`, `${file} is not a folder`]];
  if (process.platform === "linux")
    places.push(["/proc/tollgate/files", "no such file or directory"]);
  for (const [place, reason] of places) {
    const lines = await lastWords({ STORAGE_URL: `file:${place}` });
    const last = lines.at(-1) ?? "";
    assert.ok(
      last.startsWith("STORAGE_URL: files cannot be kept there: ") && last.includes(reason),
      last,
    );
    assert.match(
      last,
      /\. Set it to file: and a folder that this user may write, or to a bucket\.$/,
    );
    assert.doesNotMatch(lines.join("\n"), /\n +at |"level":"fatal"/);
  }
});

test("a PORT that is taken is told in the last line, by one serving process and by several", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  for (const WORKERS of ["1", "2"]) {
    const lines = await lastWords({ PORT: String(port), WORKERS });
    assert.match(
      lines.at(-1) ?? "",
      new RegExp(
        `^PORT: another program listens on 127\\.0\\.0\\.1 port ${port} .* or set another PORT\\.$`,
      ),
    );
    assert.doesNotMatch(lines.join("\n"), /EADDRINUSE|\n +at /);
  }
  other.close();
});
