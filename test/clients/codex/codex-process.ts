/**
 * Real Codex, run once without people, in a folder and with a configuration of its own, so that
 * nothing of the developer's reaches it and it reaches nothing but loopback.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A user's computer: where Codex works, and where it keeps what it remembers. */
export interface CodexHome extends Disposable {
  readonly work: string;
  readonly home: string;
}

export function codexHome(): CodexHome {
  const folder = mkdtempSync(join(tmpdir(), "codex-"));
  const [work, home] = [join(folder, "work"), join(folder, "home")];
  mkdirSync(work);
  mkdirSync(home);
  return {
    work,
    home,
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export interface CodexRun {
  readonly binary: string;
  readonly at: CodexHome;
  /** Of the gateway. */
  readonly url: string;
  readonly secret: string;
  readonly model: string;
  readonly prompt: string;
  /** What goes on is the last session. */
  readonly resumes?: boolean;
  /** As its user calls the provider; "OpenAI" has it compact at the server. */
  readonly provider?: string;
  /** Lines of config.toml besides. */
  readonly settings?: readonly string[];
}

export interface CodexEvent {
  readonly type: string;
  readonly message?: string;
  readonly item?: { readonly type: string; readonly text?: string };
}

export interface CodexEnd {
  readonly code: number | null;
  readonly events: readonly CodexEvent[];
  /** Both streams, for the message of a failure. */
  readonly output: string;
}

export interface RunningCodex {
  readonly ended: Promise<CodexEnd>;
  signal(name: NodeJS.Signals): void;
}

/** A port of loopback at which nothing listens: there goes whatever is not for the gateway. */
const NOWHERE = "http://127.0.0.1:9";

function configOf({ url, model, provider = "Tollgate", settings = [] }: CodexRun): string {
  return `
model = "${model}"
model_provider = "tollgate"
check_for_update_on_startup = false
${settings.join("\n")}

[analytics]
enabled = false

[model_providers.tollgate]
name = "${provider}"
base_url = "${url}/v1"
env_key = "TOLLGATE_KEY"
wire_api = "responses"
`;
}

export function startCodex(run: CodexRun): RunningCodex {
  const { binary, at, secret, prompt, resumes = false } = run;
  writeFileSync(join(at.home, "config.toml"), configOf(run));
  const child = spawn(
    binary,
    [
      "exec",
      "--json",
      "--skip-git-repo-check",
      "--dangerously-bypass-approvals-and-sandbox",
      ...(resumes ? ["resume", "--last"] : []),
      prompt,
    ],
    {
      cwd: at.work,
      env: {
        PATH: process.env["PATH"],
        HOME: at.home,
        CODEX_HOME: at.home,
        TOLLGATE_KEY: secret,
        HTTP_PROXY: NOWHERE,
        HTTPS_PROXY: NOWHERE,
        ALL_PROXY: NOWHERE,
        NO_PROXY: "127.0.0.1",
      },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let [reported, output] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    reported += text;
    output += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
  const ended = once(child, "close").then(([code]): CodexEnd => ({
    code: code as number | null,
    output,
    events: reported
      .split("\n")
      .flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : [])),
  }));
  return { ended, signal: (name) => child.kill(name) };
}
