/**
 * The `tollgate` command for tests: run as a process of its own, and the few things that most tests
 * make with it.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tollgateEnvironment, type Settings } from "./tollgate-environment.ts";

const CLI = join(import.meta.dirname, "../../src/main/cli.ts");
const DEADLINE_MS = 60_000;

export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CustomerOptions {
  /** Credited at once; "0" credits nothing. */
  readonly roubles?: string;
  /** Arguments of `keys create` besides the name: `["--limit", "5", "--period", "day"]`. */
  readonly key?: readonly string[];
}

export interface Customer {
  readonly accountId: string;
  /** The API key. */
  readonly secret: string;
  readonly hash: string;
  readonly mask: string;
}

export interface TollgateCommand {
  /** Runs `tollgate` with these arguments, whatever comes of it. */
  run(...args: string[]): Promise<CommandResult>;
  /** Runs it with `--json`, insists on exit code 0 and returns what it printed. */
  json(...args: string[]): Promise<unknown>;
  /** An account with money and one key. */
  makeCustomer(options?: CustomerOptions): Promise<Customer>;
  /** Insists that `ledger verify` finds nothing wrong. */
  verifyLedger(): Promise<void>;
}

/**
 * `env` says which database, as for a gateway: pass `gateway.env`, or `{ DATABASE_URL }`. `cli` is
 * that of another version, where it is not ours.
 */
export function createTollgateCommand(env: Settings, cli: string = CLI): TollgateCommand {
  async function run(...args: string[]): Promise<CommandResult> {
    const { promise, resolve } = Promise.withResolvers<CommandResult>();
    // A folder of its own, so that no .env of the developer is read.
    const folder = mkdtempSync(join(tmpdir(), "cli-"));
    const options = {
      cwd: folder,
      env: tollgateEnvironment({ DATA_DIR: join(folder, "data"), ...env }),
      timeout: DEADLINE_MS,
      maxBuffer: 64 << 20,
    };
    const child = execFile(process.execPath, [cli, ...args], options, (_, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    );
    const result = await promise;
    rmSync(folder, { recursive: true, force: true });
    return result;
  }

  async function json(...args: string[]): Promise<unknown> {
    const { code, stdout, stderr } = await run(...args, "--json");
    if (code !== 0)
      throw new Error(`tollgate ${args.join(" ")} ended with ${code}:\n${stdout}${stderr}`);
    return JSON.parse(stdout);
  }

  return {
    run,
    json,
    async makeCustomer({ roubles = "1000", key = [] } = {}) {
      const { accountId } = fields(await json("accounts", "create", "--name", "customer"), [
        "accountId",
      ]);
      if (roubles !== "0") await json("topup", accountId, roubles);
      const { secret, hash, mask } = fields(
        await json("keys", "create", accountId, "--name", "key", ...key),
        ["secret", "hash", "mask"],
      );
      return { accountId, secret, hash, mask };
    },
    async verifyLedger() {
      const { code, stdout, stderr } = await run("ledger", "verify");
      if (code !== 0) throw new Error(`ledger verify ended with ${code}:\n${stdout}${stderr}`);
    },
  };
}

/**
 * The named string fields of a JSON object; anything else is a broken promise of the command line.
 */
function fields<K extends string>(value: unknown, names: readonly K[]): Record<K, string> {
  const found = (typeof value === "object" && value !== null ? value : {}) as Partial<
    Record<K, unknown>
  >;
  for (const name of names)
    if (typeof found[name] !== "string")
      throw new Error(`the output has no "${name}": ${JSON.stringify(value)}`);
  return found as Record<K, string>;
}
