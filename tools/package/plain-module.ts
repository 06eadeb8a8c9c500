/**
 * A module without its types, as Node itself takes them out: blanks stand in their place, so that
 * every line and column is that of the source. Below node_modules Node does not do so by itself.
 */
import { stripTypeScriptTypes } from "node:module";
import { posix } from "node:path";
import { parseSync, Visitor } from "oxc-parser";
import { plainName } from "./package-files.ts";

/** Where package.json's `imports` lead: `#embedded-postgres/` to `packages/embedded-postgres/src/`. */
export type Subpaths = ReadonlyMap<string, string>;

export interface ModulesAround {
  /** Paths in the project of all modules of the package. */
  readonly modules: ReadonlySet<string>;
  readonly subpaths: Subpaths;
}

/**
 * `path` in the project. Other modules are named as they are called in the package, also where they
 * are started as processes of their own. Throws where one is imported that the package has not.
 */
export function plainModule(path: string, text: string, around: ModulesAround): string {
  const plain = path.endsWith(".ts") ? stripTypeScriptTypes(text, { mode: "strip" }) : text;
  const { program, errors } = parseSync(plainName(path), plain, {
    lang: "js",
    sourceType: "module",
  });
  const error = errors[0];
  if (error !== undefined) throw new Error(`${path} without its types: ${error.message}`);
  const ends: number[] = [];
  new Visitor({
    Literal({ value, end }) {
      if (typeof value === "string" && value.endsWith(".ts") && isModule(path, value, around))
        ends.push(end);
    },
    TemplateElement({ value }) {
      // Such a name would be found only when it runs.
      if (value.raw.endsWith(".ts")) throw new Error(`${path}: write ${value.raw} in quotes`);
    },
  }).visit(program);
  return renamed(plain, ends);
}

/** Whether a text names a module of the package. */
function isModule(path: string, text: string, { modules, subpaths }: ModulesAround): boolean {
  const target = targetOf(path, text, subpaths);
  if (target === null)
    return [...modules].some((module) => module === text || module.endsWith(`/${text}`));
  if (!modules.has(target)) throw new Error(`${path} imports ${text}, which is not in the package`);
  return true;
}

/** Null: it is no specifier, but a part of a path. */
function targetOf(path: string, text: string, subpaths: Subpaths): string | null {
  if (/^\.\.?\//.test(text)) return posix.join(posix.dirname(path), text);
  for (const [prefix, folder] of subpaths)
    if (text.startsWith(prefix)) return folder + text.slice(prefix.length);
  return null;
}

/** `ends`: where the texts end, behind their quotes. */
function renamed(code: string, ends: readonly number[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const end of ends.toSorted((one, other) => one - other)) {
    const at = end - '.ts"'.length;
    parts.push(code.slice(from, at), plainName(code.slice(at, end - 1)));
    from = end - 1;
  }
  return parts.join("") + code.slice(from);
}
