/** Protects: what the README tells a new user to type works as it is written, against what a first start prints (contract §1). */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import sharp from "sharp";
import { parseCatalogue } from "../../src/catalogue/parse-catalogue.ts";
import { runInShell, secretIn, startTollgate, type Started } from "../support/start-tollgate.ts";

const ROOT = join(import.meta.dirname, "../..");
const README = readFileSync(join(ROOT, "README.md"), "utf8");
const folder = mkdtempSync(join(tmpdir(), "readme-"));

let started: Started;
let secret: string;
before(async () => {
  started = await startTollgate(folder, {});
  secret = secretIn(started.text) ?? "";
});
after(async () => {
  assert.equal(await started.stop(), 0);
  rmSync(folder, { recursive: true, force: true });
});

/** The examples in one language, in the order of the file. */
function examples(language: string): string[] {
  return [...README.matchAll(/^```(\w+)\n([^]*?)^```$/gm)].flatMap(([, found, text = ""]) => (found === language ? [text] : []));
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
    const answer = await runInShell(asStarted(line).replace(/^curl /, "curl -sS --fail-with-body "), {}, folder);
    assert.match(answer, /"content"|data: \[DONE\]|"admitted":true|"contentType":"image\/jpeg"|"taskId"/, line);
  }
});

test("every TypeScript example runs and prints an answer, with the official SDKs", async () => {
  const programs = examples("ts");
  assert.ok(programs.length >= 2);
  for (const program of programs) {
    const line = `'${process.execPath}' --input-type=module-typescript -e "$PROGRAM"`;
    const printed = await runInShell(line, { PROGRAM: asStarted(program), TOLLGATE_KEY: secret }, ROOT);
    assert.match(printed, /Привет/, program);
  }
});

test("what Claude Code is told by its variables is what the official SDK understands by them", async () => {
  const [settings] = examples("sh").filter((example) => example.startsWith("export ANTHROPIC_"));
  const program = `import Anthropic from "@anthropic-ai/sdk";
    const client = new Anthropic();
    const message = await client.beta.messages.create({ model: "claude-opus-5-5", max_tokens: 100, messages: [{ role: "user", content: "Hi" }] });
    console.log(message.model);`;
  const run = asStarted(settings ?? "").replace(/^claude$/m, `'${process.execPath}' --input-type=module -e "$PROGRAM"`);
  assert.equal((await runInShell(run, { PROGRAM: program }, ROOT)).trim(), "sandbox-large");
});

test("the example of a catalogue is one, without a mistake or a warning", () => {
  const [catalogue = ""] = examples("yaml");
  const reading = parseCatalogue(catalogue, { MY_PROVIDER_KEY: "x", MY_OTHER_KEY: "x" });
  assert.deepEqual(reading.ok ? reading.warnings : reading.mistakes, []);
});
