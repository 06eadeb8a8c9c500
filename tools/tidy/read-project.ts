/**
 * Reads the project into what the rules look at: every text file, and every source file with its
 * syntax tree.
 */
import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { parseSync, Visitor, type Comment, type Program } from "oxc-parser";
import type { Finding } from "./finding.ts";
import { listFiles } from "./list-files.ts";

export interface TextFile {
  readonly path: string;
  readonly text: string;
  /** The line, from 1, of an offset into the text. */
  lineAt(offset: number): number;
}

export interface ImportEdge {
  /** As written. */
  readonly specifier: string;
  /**
   * The project's file that a relative specifier, or one of package.json's `imports`, names; null
   * for packages and built-ins.
   */
  readonly target: string | null;
  readonly line: number;
  /** Nothing of it is left at run time. */
  readonly typeOnly: boolean;
  /**
   * What is imported by name; `default` and `*` for the other forms. Empty for `import()` and bare
   * imports.
   */
  readonly names: readonly string[];
}

export interface SourceFile extends TextFile {
  readonly program: Program;
  readonly comments: readonly Comment[];
  readonly imports: readonly ImportEdge[];
  /** `src/ledger/…` is in the room `ledger`; outside src null. */
  readonly room: string | null;
  readonly isTest: boolean;
}

export interface Project {
  readonly root: string;
  readonly paths: ReadonlySet<string>;
  readonly texts: readonly TextFile[];
  readonly sources: readonly SourceFile[];
  /** Files that cannot be parsed: nothing else is known about them. */
  readonly broken: readonly Finding[];
}

const SOURCE = /\.(ts|tsx|mts|mjs|js)$/;
const PARSED_FOLDERS = /^(src|packages|sandbox|test|tools|bench|bin|panel)\//;

export function readProject(root: string): Project {
  const paths = listFiles(root);
  const texts: TextFile[] = [];
  const sources: SourceFile[] = [];
  const broken: Finding[] = [];
  const subpaths = readSubpaths(root, paths);
  for (const path of paths) {
    const bytes = readFileSync(join(root, path));
    if (bytes.includes(0)) continue;
    const file = textFile(path, bytes.toString("utf8"));
    texts.push(file);
    if (!SOURCE.test(path) || !PARSED_FOLDERS.test(path)) continue;
    const source = parse(file, subpaths);
    if ("rule" in source) broken.push(source);
    else sources.push(source);
  }
  return { root, paths: new Set(paths), texts, sources, broken };
}

function textFile(path: string, text: string): TextFile {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return {
    path,
    text,
    lineAt(offset) {
      const after = starts.findIndex((start) => start > offset);
      return after === -1 ? starts.length : after;
    },
  };
}

/** The folders that package.json's `imports` name, by how a specifier begins: `"#one/*"`. */
function readSubpaths(root: string, paths: readonly string[]): Subpaths {
  if (!paths.includes("package.json")) return [];
  const { imports = {} } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    imports?: Record<string, string>;
  };
  return Object.entries(imports).map(
    ([from, to]) => [from.replace(/\*$/, ""), posix.normalize(to.replace(/\*$/, ""))] as const,
  );
}

function parse(file: TextFile, subpaths: Subpaths): SourceFile | Finding {
  const result = parseSync(file.path, file.text);
  const error = result.errors[0];
  if (error !== undefined) {
    const line = file.lineAt(error.labels[0]?.start ?? 0);
    return { path: file.path, line, rule: "syntax", message: `make it parse: ${error.message}` };
  }
  const [folder, room] = file.path.split("/");
  return {
    ...file,
    program: result.program,
    comments: result.comments,
    imports: [
      ...readImports(file, result.module, subpaths),
      ...readTypeImports(file, result.program, subpaths),
    ],
    room: folder === "src" && file.path.split("/").length > 2 ? (room ?? null) : null,
    isTest: file.path.endsWith(".test.ts") || /^(packages\/[^/]+\/)?test\//.test(file.path),
  };
}

type Module = ReturnType<typeof parseSync>["module"];
type Subpaths = readonly (readonly [prefix: string, folder: string])[];

function edge(
  file: TextFile,
  subpaths: Subpaths,
  specifier: string,
  start: number,
  typeOnly: boolean,
  names: readonly string[],
): ImportEdge {
  const target = targetOf(file, subpaths, specifier);
  return { specifier, target, line: file.lineAt(start), typeOnly, names };
}

function targetOf(file: TextFile, subpaths: Subpaths, specifier: string): string | null {
  if (specifier.startsWith("./") || specifier.startsWith("../"))
    return posix.join(posix.dirname(file.path), specifier);
  const subpath = subpaths.find(([prefix]) => specifier.startsWith(prefix));
  return subpath === undefined ? null : subpath[1] + specifier.slice(subpath[0].length);
}

/**
 * Every way in which one file names another at its top or at run time: imports, re-exports and
 * `import()` of a constant.
 */
function readImports(file: TextFile, module: Module, subpaths: Subpaths): ImportEdge[] {
  const edges: ImportEdge[] = [];
  const add = (
    ...about: [specifier: string, start: number, typeOnly: boolean, names: string[]]
  ): void => void edges.push(edge(file, subpaths, ...about));
  for (const found of module.staticImports) {
    const valued = found.entries.filter((entry) => !entry.isType);
    const typeOnly = found.entries.length > 0 && valued.length === 0;
    const names = valued.map(
      ({ importName }) =>
        importName.name ?? (String(importName.kind) === "Default" ? "default" : "*"),
    );
    add(found.moduleRequest.value, found.start, typeOnly, names);
  }
  for (const found of module.staticExports) {
    const from = found.entries.find((entry) => entry.moduleRequest !== null)?.moduleRequest;
    if (from === undefined || from === null) continue;
    const valued = found.entries.filter((entry) => !entry.isType);
    add(
      from.value,
      found.start,
      valued.length === 0,
      valued.map((entry) => entry.importName.name ?? "*"),
    );
  }
  for (const found of module.dynamicImports) {
    const text = file.text.slice(found.moduleRequest.start, found.moduleRequest.end);
    const literal = /^(["'`])([^"'`$]*)\1$/.exec(text);
    if (literal !== null) add(literal[2] ?? "", found.start, false, []);
  }
  return edges;
}

/** Types named in place: `import("./other.ts").Thing`. */
function readTypeImports(file: TextFile, program: Program, subpaths: Subpaths): ImportEdge[] {
  const edges: ImportEdge[] = [];
  new Visitor({
    TSImportType(node) {
      edges.push(edge(file, subpaths, node.source.value, node.start, true, []));
    },
  }).visit(program);
  return edges;
}
