/** The help texts, made from the commands themselves. */
import { alignColumns } from "./align-columns.ts";
import type { Command } from "./command.ts";

export function generalHelp(commands: readonly Command[]): string {
  return [
    "usage: tollgate [COMMAND] [arguments]",
    "",
    ...alignColumns(commands.map((command) => [`  ${command.name}`, command.summary])),
    "",
    "Without a command everything is started at once, with the sandbox, on the embedded database where DATABASE_URL is not set.",
    "Every command takes --json (output for programs) and --help, and works beside a running server.",
    "Exit codes: 0 done, 1 failed, 2 wrong usage. Settings: environment and .env; `tollgate config` shows them.",
  ].join("\n");
}

export function commandHelp(command: Command): string {
  const options = [
    ...Object.entries(command.options).map(([name, option]) => [
      `  --${name}${option.value === null ? "" : ` ${option.value}`}`,
      `${option.help}${option.required === true ? " (required)" : ""}`,
    ]),
    ["  --json", "output for programs"],
  ];
  return [
    usageLine(command),
    "",
    command.summary,
    "",
    ...alignColumns([
      ...command.positionals.map(({ name, help }) => [`  ${name}`, help]),
      ...options,
    ]),
  ].join("\n");
}

function usageLine(command: Command): string {
  const options = Object.entries(command.options).map(([name, option]) => {
    const text = `--${name}${option.value === null ? "" : ` ${option.value}`}`;
    return option.required === true ? text : `[${text}]`;
  });
  return `usage: ${["tollgate", command.name, ...command.positionals.map(({ name }) => name), ...options].join(" ")}`;
}
