/**
 * Reads a command's own arguments against what it takes: every mistake is told with what was meant
 * most likely.
 */
import { parseArgs } from "node:util";
import { nearestName } from "../kernel/nearest-name.ts";
import type { Command } from "./command.ts";

export type Arguments =
  | {
      readonly kind: "ok";
      readonly positionals: Readonly<Record<string, string>>;
      readonly options: ReadonlyMap<string, string>;
      readonly json: boolean;
    }
  | { readonly kind: "help" }
  | { readonly kind: "usage"; readonly message: string };

/** Flags that every command takes. */
const COMMON = ["json", "help"] as const;

export function readArguments(command: Command, args: readonly string[]): Arguments {
  const known = new Map<string, "string" | "boolean">(
    Object.entries(command.options).map(([name, option]) => [
      name,
      option.value === null ? "boolean" : "string",
    ]),
  );
  for (const name of COMMON) known.set(name, "boolean");
  const { tokens } = parseArgs({
    args: [...args],
    options: {
      ...Object.fromEntries([...known].map(([name, type]) => [name, { type }])),
      help: { type: "boolean", short: "h" },
    },
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const options = new Map<string, string>();
  const words: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") words.push(token.value);
    if (token.kind !== "option") continue;
    const type = known.get(token.name);
    if (type === undefined)
      return usage(
        `unknown option ${token.rawName}${didYouMean(
          `--${token.name}`,
          [...known.keys()].map((name) => `--${name}`),
        )}`,
      );
    if (options.has(token.name)) return usage(`--${token.name} is given twice`);
    if (type === "boolean" && token.value !== undefined)
      return usage(`--${token.name} takes no value`);
    const needsValue =
      type === "string" &&
      (token.value === undefined || (token.inlineValue !== true && token.value.startsWith("--")));
    if (needsValue)
      return usage(
        `--${token.name} needs a value: --${token.name} ${command.options[token.name]?.value ?? "VALUE"}`,
      );
    options.set(token.name, token.value ?? "");
  }
  if (options.has("help")) return { kind: "help" };
  const json = options.delete("json");
  const missing = Object.entries(command.options).find(
    ([name, option]) => option.required === true && !options.has(name),
  );
  if (missing !== undefined) return usage(`--${missing[0]} is required`);
  const lacking = command.positionals[words.length];
  if (lacking !== undefined) return usage(`${lacking.name} is missing`);
  const extra = words[command.positionals.length];
  if (extra !== undefined) return usage(`"${extra}" is one argument too many`);
  const positionals = Object.fromEntries(
    command.positionals.map(({ name }, position) => [name, words[position] ?? ""]),
  );
  return { kind: "ok", positionals, options, json };
}

function usage(message: string): Arguments {
  return { kind: "usage", message };
}

/** `; did you mean "keys create"?`, or nothing. */
export function didYouMean(given: string, known: readonly string[]): string {
  const nearest = nearestName(given, known);
  return nearest === null ? "" : `; did you mean ${nearest}?`;
}
