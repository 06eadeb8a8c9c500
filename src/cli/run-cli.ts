/**
 * The command line: finds the command, reads its arguments, runs it, and says what came of it on
 * the right channel with the right exit code.
 */
import { Fault } from "../kernel/faults.ts";
import { redactKeySecrets } from "../kernel/secrets.ts";
import type { CliDeps, Command, Outcome } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { commandHelp, generalHelp } from "./help-text.ts";
import { didYouMean, readArguments } from "./read-arguments.ts";

export type { CliDeps } from "./command.ts";

/**
 * `argv` without the program's own name. Resolves to the exit code: 0 done, 1 failed, 2 wrong
 * usage. Never rejects.
 */
export async function runCli(argv: readonly string[], given: CliDeps): Promise<number> {
  // Errors repeat what was typed, and now and then that is a secret. Standard output shows one on
  // purpose: `keys create`.
  const deps: CliDeps = { ...given, err: (text) => given.err(redactKeySecrets(text)) };
  const found = findCommand(argv);
  switch (found.kind) {
    case "help":
      deps.out(found.text);
      return 0;
    case "version":
      deps.out(deps.version);
      return 0;
    case "usage":
      deps.err(`tollgate: ${found.message}`);
      deps.err("`tollgate --help` lists the commands.");
      return 2;
    case "command":
      return runCommand(found.command, found.rest, deps);
  }
}

type Found =
  | { readonly kind: "command"; readonly command: Command; readonly rest: readonly string[] }
  | { readonly kind: "help"; readonly text: string }
  | { readonly kind: "version" }
  | { readonly kind: "usage"; readonly message: string };

function findCommand(argv: readonly string[]): Found {
  const [first, second] = argv;
  if (first === undefined) return { kind: "usage", message: "no command was given" };
  if (first === "--version") return { kind: "version" };
  if (first === "help")
    return argv.length === 1
      ? { kind: "help", text: generalHelp(COMMANDS) }
      : findCommand([...argv.slice(1), "--help"]);
  if (first === "--help" || first === "-h") return { kind: "help", text: generalHelp(COMMANDS) };
  const command =
    COMMANDS.find(({ name }) => name === `${first} ${second ?? ""}`) ??
    COMMANDS.find(({ name }) => name === first);
  if (command !== undefined)
    return { kind: "command", command, rest: argv.slice(command.name.split(" ").length) };
  const group = COMMANDS.filter(({ name }) => name.startsWith(`${first} `));
  const wantsHelp = second === "--help" || second === "-h";
  if (group.length > 0 && wantsHelp) return { kind: "help", text: generalHelp(group) };
  const names = COMMANDS.map(({ name }) => name);
  if (group.length > 0 && second === undefined)
    return {
      kind: "usage",
      message: `"${first}" is a group of commands: ${group.map(({ name }) => name).join(", ")}`,
    };
  const twoWords = second === undefined || second.startsWith("-") ? first : `${first} ${second}`;
  const hint = didYouMean(twoWords, names) || didYouMean(first, names);
  return { kind: "usage", message: `unknown command "${twoWords}"${hint}` };
}

async function runCommand(
  command: Command,
  rest: readonly string[],
  deps: CliDeps,
): Promise<number> {
  const reading = readArguments(command, rest);
  if (reading.kind === "help") {
    deps.out(commandHelp(command));
    return 0;
  }
  if (reading.kind === "usage") return tellUsage(command, reading.message, deps);
  const { json } = reading;
  try {
    return tell(
      await command.run({ positionals: reading.positionals, options: reading.options, deps }),
      command,
      json,
      deps,
    );
  } catch (thrown) {
    return tellFailure(thrown, command, json, deps);
  }
}

function tell(outcome: Outcome, command: Command, json: boolean, deps: CliDeps): number {
  switch (outcome.kind) {
    case "done":
      deps.out(json ? JSON.stringify(outcome.json) : outcome.text);
      return 0;
    case "bad":
      deps.out(json ? JSON.stringify(outcome.json) : outcome.text);
      return 1;
    case "failed":
      tellError("failed", outcome.message, command, json, deps);
      return 1;
    case "usage":
      return tellUsage(command, outcome.message, deps);
    case "exit":
      return outcome.code;
  }
}

function tellUsage(command: Command, message: string, deps: CliDeps): number {
  deps.err(`tollgate ${command.name}: ${message}`);
  deps.err(`\`tollgate ${command.name} --help\` explains the command.`);
  return 2;
}

/** What a person can act on; where it came from is shown on request only. */
function tellFailure(thrown: unknown, command: Command, json: boolean, deps: CliDeps): number {
  // The use cases check what was typed, so that a value that cannot be is wrong usage here.
  if (thrown instanceof Fault && thrown.code === "invalid_request")
    return tellUsage(command, thrown.message, deps);
  tellError(
    thrown instanceof Fault ? thrown.code : "failed",
    messageOf(thrown),
    command,
    json,
    deps,
  );
  if (deps.debug) deps.err(describeCause(thrown));
  return 1;
}

function messageOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const { code, path } = thrown as NodeJS.ErrnoException;
  if (code === "ENOENT" && path !== undefined) return `there is no file ${path}`;
  if (code === "EISDIR") return "a file is expected, not a folder";
  return thrown.message === ""
    ? "it failed without a word; LOG_LEVEL=debug shows more"
    : thrown.message;
}

function tellError(
  code: string,
  message: string,
  command: Command,
  json: boolean,
  deps: CliDeps,
): void {
  deps.err(
    json ? JSON.stringify({ error: { code, message } }) : `tollgate ${command.name}: ${message}`,
  );
}

function describeCause(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const own = thrown.stack ?? thrown.message;
  return thrown.cause === undefined ? own : `${own}\ncaused by: ${describeCause(thrown.cause)}`;
}
