/**
 * Code names files of the project by paths that are there: what is joined to `import.meta.dirname`
 * or `PROJECT_ROOT`, and what a URL says beside `import.meta.url`. A move changes imports by itself,
 * these it does not.
 */
import { posix } from "node:path";
import { Visitor, type Argument, type Expression } from "oxc-parser";
import { calleeName } from "../callee-name.ts";
import type { Finding } from "../finding.ts";
import { MADE } from "../list-files.ts";
import type { Project, SourceFile } from "../read-project.ts";

/** Where such a name begins, as a path of the project, by the constants of one file. */
type Bases = ReadonlyMap<string, string>;

/** As much of a path as is written out; not whole: the rest is found when it runs. */
interface Written {
  readonly path: string;
  readonly whole: boolean;
}

const ROOT_NAME = "PROJECT_ROOT";
/** Where those who run it may keep theirs. */
const USERS_OWN = ".env";

export function checkNamedPaths(project: Project): Finding[] {
  const folders = new Set([...project.paths].flatMap(foldersOf));
  const isThere = (path: string): boolean =>
    path === USERS_OWN ||
    project.paths.has(path) ||
    folders.has(path) ||
    path.split("/").some((part) => MADE.has(part));
  return project.sources.flatMap((file) => checkFile(file, isThere));
}

function foldersOf(path: string): string[] {
  return path.split("/").map((_, depth, parts) => parts.slice(0, depth).join("/") || ".");
}

function checkFile(file: SourceFile, isThere: (path: string) => boolean): Finding[] {
  const findings: Finding[] = [];
  const bases = basesOf(file);
  const check = (start: number, written: Written | null): void => {
    if (written === null || isThere(written.path)) return;
    const line = file.lineAt(start);
    const message = `there is no ${written.path}; name where it is now`;
    findings.push({ path: file.path, line, rule: "named-path", message });
  };
  new Visitor({
    CallExpression: (node) => check(node.start, ofJoin(file, bases, node)),
    NewExpression: (node) => check(node.start, ofUrl(file, node)),
  }).visit(file.program);
  return findings;
}

/** `const ROOT = join(import.meta.dirname, "../..")`, and what is joined to that in turn. */
function basesOf(file: SourceFile): Bases {
  const bases = new Map([[ROOT_NAME, "."]]);
  new Visitor({
    VariableDeclarator({ id, init }) {
      if (id.type !== "Identifier" || init === null) return;
      const written = ofJoin(file, bases, init);
      if (written?.whole === true) bases.set(id.name, written.path);
      else if (id.name !== ROOT_NAME) bases.delete(id.name);
    },
  }).visit(file.program);
  return bases;
}

function ofJoin(file: SourceFile, bases: Bases, node: Expression): Written | null {
  if (node.type !== "CallExpression") return null;
  const name = calleeName(node.callee);
  if (name !== "join" && name !== "resolve") return null;
  const [first, ...rest] = node.arguments;
  const base = first === undefined ? null : baseOf(file, bases, first);
  return base === null ? null : append(base, rest);
}

function baseOf(file: SourceFile, bases: Bases, node: Argument): string | null {
  if (isOfMeta(node, "dirname")) return posix.dirname(file.path);
  return node.type === "Identifier" ? (bases.get(node.name) ?? null) : null;
}

function ofUrl(file: SourceFile, node: Expression): Written | null {
  if (node.type !== "NewExpression" || node.callee.type !== "Identifier") return null;
  const [target, base] = node.arguments;
  if (node.callee.name !== "URL" || target === undefined || base === undefined) return null;
  return isOfMeta(base, "url") ? append(posix.dirname(file.path), [target]) : null;
}

function isOfMeta(node: Argument, name: "dirname" | "url"): boolean {
  return (
    node.type === "MemberExpression" &&
    node.object.type === "MetaProperty" &&
    node.property.type === "Identifier" &&
    node.property.name === name
  );
}

function append(base: string, parts: readonly Argument[]): Written {
  let path = base;
  for (const part of parts) {
    const text = writtenText(part);
    if (text !== null) path = posix.join(path, text.path).replace(/(?<=.)\/$/, "");
    if (text?.whole !== true) return { path, whole: false };
  }
  return { path, whole: true };
}

/** Of a template, the folders before its first value. */
function writtenText(node: Argument): Written | null {
  if (node.type === "Literal" && typeof node.value === "string")
    return { path: node.value, whole: true };
  if (node.type !== "TemplateLiteral") return null;
  const text = node.quasis[0]?.value.cooked ?? "";
  if (node.quasis.length === 1) return { path: text, whole: true };
  return { path: text.slice(0, text.lastIndexOf("/") + 1), whole: false };
}
