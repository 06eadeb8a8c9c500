/**
 * Samples of clients, run as they are copied: programs with the real SDKs, settings by what reads
 * them, commands of agents by stand-ins that ask as the agents do. Each answers with what the model said.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText } from "ai";
import { runInShell } from "../support/start-tollgate.ts";

const execFileAsync = promisify(execFile);
const ROOT = join(import.meta.dirname, "../..");
/** An interpreter with the SDKs of Python, where there is one: else their samples are read, not run. */
const PYTHON = process.env["TEST_PYTHON"] ?? "python3";
const PROMPT = "Привет!";
const ASK = `curl -sS --fail "$URL" -H "Authorization: Bearer $SECRET" -H "Content-Type: application/json" -d "$BODY"`;
const STAND_INS = {
  claude: `URL="$ANTHROPIC_BASE_URL/v1/messages" SECRET="$ANTHROPIC_AUTH_TOKEN"
BODY='{"model":"'"\${ANTHROPIC_MODEL:-claude-sonnet-4-5}"'","max_tokens":100,"messages":[{"role":"user","content":"${PROMPT}"}]}'`,
  cline: `while [ $# -gt 0 ]; do case "$1" in
-b) URL="$2/chat/completions"; shift;; -k) SECRET="$2"; shift;; -m) MODEL="$2"; shift;; esac; shift; done
BODY='{"model":"'"$MODEL"'","messages":[{"role":"user","content":"${PROMPT}"}]}'`,
};

export interface ClientRunner {
  /** What the client printed; null: what it needs is not on this machine. */
  run(client: string, code: string): Promise<string | null>;
}

/** @param folder where the programs go. */
export async function createClientRunner(folder: string): Promise<ClientRunner> {
  const bin = join(folder, "bin");
  await mkdir(bin);
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
  for (const [name, script] of Object.entries(STAND_INS)) {
    await writeFile(join(bin, name), `#!/bin/sh\n${script}\n${ASK}\n`);
    await chmod(join(bin, name), 0o755);
  }

  async function byNode(code: string): Promise<string> {
    const path = join(folder, "client.mts");
    await writeFile(path, code);
    return (await execFileAsync(process.execPath, [path])).stdout;
  }

  async function byPython(code: string): Promise<string | null> {
    const path = join(folder, "client.py");
    await writeFile(path, code);
    const modules = [...code.matchAll(/^from (\w+) /gm)].map(([, name]) => name);
    if ((await orNull(execFileAsync(PYTHON, ["--version"]))) === null) return null;
    await execFileAsync(PYTHON, ["-m", "py_compile", path]);
    const found = await orNull(execFileAsync(PYTHON, ["-c", `import ${modules.join(", ")}`]));
    return found === null ? null : (await execFileAsync(PYTHON, [path])).stdout;
  }

  const byShell = (code: string): Promise<string> =>
    runInShell(code, { PATH: `${bin}${delimiter}${process.env["PATH"] ?? ""}` }, folder);

  return {
    async run(client, code) {
      switch (client) {
        case "OpenAI SDK, TypeScript":
        case "Anthropic SDK":
        case "AI SDK":
          return byNode(code);
        case "OpenAI SDK, Python":
        case "LangChain":
          return byPython(code);
        case "curl":
        case "Claude Code":
        case "Cline":
          return byShell(code.replace(/^curl /, "curl -sS --fail "));
        case "Codex":
          return byCodexSettings(code);
        case "opencode":
          return byOpencodeSettings(code);
        default:
          return assert.fail(`a client that nothing here runs: ${client}`);
      }
    },
  };
}

function orNull<T>(promise: Promise<T>): Promise<T | null> {
  return promise.catch(() => null);
}

/** As Codex reads them; the real one has tests of its own beside (`codex`). */
async function byCodexSettings(code: string): Promise<string> {
  const settings = Object.fromEntries(
    [...code.matchAll(/^(\w+) = (".*")$/gm)].map(([, name, value = ""]) => [
      name,
      JSON.parse(value),
    ]),
  ) as Record<string, string>;
  const {
    model,
    model_provider: provider,
    base_url: base,
    env_key: variable,
    wire_api: wire,
  } = settings;
  assert.ok(code.includes(`[model_providers.${provider}]`));
  assert.equal(wire, "responses");
  const secret = new RegExp(`export ${variable}=(\\S+)`).exec(code)?.[1];
  const answer = await fetch(`${base}/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify({ model, input: PROMPT }),
  });
  assert.equal(answer.status, 200, code);
  return answer.text();
}

interface OpencodeSettings {
  readonly model: string;
  readonly provider: Readonly<
    Record<
      string,
      {
        readonly npm: string;
        readonly options: { readonly baseURL: string; readonly apiKey: string };
        readonly models: Readonly<Record<string, object>>;
      }
    >
  >;
}

/** As opencode reads them, with the package that they name. */
async function byOpencodeSettings(code: string): Promise<string> {
  const { model, provider } = JSON.parse(code) as OpencodeSettings;
  const [name = "", ...rest] = model.split("/");
  const id = rest.join("/");
  const { npm, options, models } = provider[name] ?? assert.fail(code);
  assert.equal(npm, "@ai-sdk/openai-compatible");
  assert.ok(id in models);
  const { text } = await generateText({
    model: createOpenAICompatible({ name, ...options })(id),
    prompt: PROMPT,
  });
  return text;
}
