/**
 * Protects: what the README and the documents tell a user to type works as it is written, against
 * what a first start prints (contract §1).
 */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import sharp from "sharp";
import { parseCatalogue } from "../../src/catalogue/parse-catalogue.ts";
import { runInShell, secretIn, startTollgate, type Started } from "../support/start-tollgate.ts";
import { tollgateEnvironment } from "../support/tollgate-environment.ts";

const ROOT = join(import.meta.dirname, "../..");
const PAGES = [
  "README.md",
  ...["first-steps", "clients", "api", "providers", "commands"].map((name) => `docs/${name}.md`),
];
const PROVIDER_KEYS = { MY_PROVIDER_KEY: "x", MY_OTHER_KEY: "x" };
const folder = mkdtempSync(join(tmpdir(), "documents-"));

let started: Started;
let secret: string;
before(async () => {
  const [catalogue = ""] = examples("yaml");
  writeFileSync(join(folder, "my-catalogue.yaml"), catalogue);
  started = await startTollgate(folder, {});
  secret = secretIn(started.text) ?? "";
});
after(async () => {
  assert.equal(await started.stop(), 0);
  rmSync(folder, { recursive: true, force: true });
});

/** The examples in one language, in the order of the pages. */
function examples(language: string, pages = PAGES): string[] {
  const text = pages.map((page) => readFileSync(join(ROOT, page), "utf8")).join("\n");
  return [...text.matchAll(/^```(\w+)\n([^]*?)^```$/gm)].flatMap(([, found, example = ""]) =>
    found === language ? [example] : [],
  );
}

/** For this server and this key instead of those of the text. */
function asStarted(example: string): string {
  return example.replaceAll("http://127.0.0.1:8080", started.url).replaceAll("tg_live_…", secret);
}

test("every curl line is answered with success, streamed or whole", async () => {
  const lines = examples("sh").filter((example) => example.startsWith("curl "));
  assert.ok(lines.length >= 5);
  writeFileSync(
    join(folder, "photo.jpg"),
    await sharp({ create: { width: 64, height: 48, channels: 3, background: "teal" } })
      .jpeg()
      .toBuffer(),
  );
  for (const line of lines) {
    const answer = await runInShell(
      asStarted(line).replace(/^curl /, "curl -sS --fail-with-body "),
      {},
      folder,
    );
    assert.match(
      answer,
      /"content"|data: \[DONE\]|"admitted":true|"contentType":"image\/jpeg"|"taskId"|"embedding"|"data":\[\{"url"|"text":/,
      line,
    );
  }
});

test("every TypeScript example runs and prints an answer, with the official SDKs", async () => {
  const programs = examples("ts");
  assert.ok(programs.length >= 3);
  for (const program of programs) {
    const line = `'${process.execPath}' --input-type=module -e "$PROGRAM"`;
    const printed = await runInShell(
      line,
      { PROGRAM: asStarted(program), TOLLGATE_KEY: secret },
      ROOT,
    );
    assert.match(printed, /Привет/, program);
  }
});

test("what Claude Code is told by its variables is what the official SDK understands by them", async () => {
  const [settings] = examples("sh").filter((example) => example.startsWith("export ANTHROPIC_"));
  const program = `import Anthropic from "@anthropic-ai/sdk";
    const client = new Anthropic();
    const message = await client.beta.messages.create({ model: "claude-opus-5-5", max_tokens: 100, messages: [{ role: "user", content: "Hi" }] });
    console.log(message.model);`;
  const run = asStarted(settings ?? "").replace(
    /^claude$/m,
    `'${process.execPath}' --input-type=module -e "$PROGRAM"`,
  );
  assert.equal((await runInShell(run, { PROGRAM: program }, ROOT)).trim(), "sandbox-large");
});

test("the example of a catalogue is one, without a mistake or a warning", () => {
  const [catalogue = ""] = examples("yaml");
  const reading = parseCatalogue(catalogue, PROVIDER_KEYS);
  assert.deepEqual(reading.ok ? reading.warnings : reading.mistakes, []);
});

test(
  "every command does what is said of it, one after the other, beside the running gateway",
  { timeout: 240_000 },
  async () => {
    const lines = examples("sh").flatMap((example) =>
      example.split("\n").filter((line) => line.startsWith("npx tollgate ")),
    );
    assert.ok(lines.length >= 10);
    const command = `'${process.execPath}' '${join(ROOT, "bin/tollgate.mjs")}' `;
    const env = tollgateEnvironment({ DATA_DIR: join(folder, "data"), ...PROVIDER_KEYS });
    const known = new Map([["/var/backups/tollgate-today", join(folder, "backup")]]);
    const printed: string[] = [];
    for (const line of lines) {
      const ours = [...known].reduce(
        (text, [word, value]) => text.replaceAll(word, value),
        line.replace("npx tollgate ", command),
      );
      const output = await runInShell(ours, env, folder);
      printed.push(output);
      const account = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(output)?.[0];
      if (line.includes("accounts create") && account !== undefined) known.set("ACCOUNT", account);
      const hash = /\b[0-9a-f]{64}\b/.exec(output)?.[0];
      if (line.includes("keys create") && hash !== undefined) known.set("HASH", hash);
    }
    const all = printed.join("\n");
    assert.match(all, /"Hi"/, "catalogue try shows the request");
    assert.match(all, /tg_live_/, "keys create prints a secret");
  },
);
