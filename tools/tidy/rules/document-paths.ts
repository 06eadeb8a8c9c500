/** Documents lead to files that are there: by paths in backticks, and by links. */
import { posix } from "node:path";
import type { Finding } from "../finding.ts";
import { MADE } from "../list-files.ts";
import type { Project, TextFile } from "../read-project.ts";

/** Decisions tell what was true when they were made; of them links alone have to lead somewhere. */
const LIVING = /^(docs\/[^/]+\.md|(CONTRIBUTING|SECURITY)\.md|(.+\/)?README(\.ru)?\.md)$/;
const FENCE = /^```.*\n[^]*?^```$/gm;
const CODE = /`([^`\n]+)`/g;
/** A path of the project among the words of a piece of code; a pattern of names is none. */
const PATH =
  /(?<=^|[\s(=])(?:src|packages|test|sandbox|panel|bench|tools|migrations|docs|ops|bin)\/[\w./-]*[\w/](?=$|[\s),:;])/g;
const LINK = /\]\(([^)\s#:]+)(?:#[^)\s]*)?\)/g;

export function checkDocumentPaths(project: Project): Finding[] {
  const folders = new Set(
    [...project.paths].flatMap((path) =>
      path.split("/").map((_, depth, parts) => parts.slice(0, depth).join("/")),
    ),
  );
  const isMade = (path: string): boolean => path.split("/").some((part) => MADE.has(part));
  const isThere = (path: string): boolean =>
    project.paths.has(path) || folders.has(path) || isMade(path);
  return project.texts
    .filter(({ path }) => path.endsWith(".md"))
    .flatMap((file) => [...checkCode(file, isThere), ...checkLinks(file, isThere)]);
}

function checkCode(file: TextFile, isThere: (path: string) => boolean): Finding[] {
  if (!LIVING.test(file.path)) return [];
  return [...withoutFences(file.text).matchAll(CODE)].flatMap(({ 1: code = "", index }) =>
    [...code.matchAll(PATH)]
      .map(([path]) => path.replace(/\/$/, ""))
      .filter((path) => !isThere(path) && !isThere(besides(file, path)))
      .map((path) => finding(file, index, `there is no ${path}; name what took its place`)),
  );
}

function checkLinks(file: TextFile, isThere: (path: string) => boolean): Finding[] {
  return [...withoutFences(file.text).matchAll(LINK)].flatMap(({ 1: target = "", index }) =>
    isThere(besides(file, target))
      ? []
      : [finding(file, index, `the link leads to ${target}, which is not there`)],
  );
}

/** As long as before, so that places in it stay. */
const withoutFences = (text: string): string =>
  text.replaceAll(FENCE, (fence) => fence.replaceAll(/[^\n]/g, " "));

const besides = (file: TextFile, path: string): string =>
  posix.join(posix.dirname(file.path), path).replace(/\/$/, "");

function finding(file: TextFile, offset: number, message: string): Finding {
  return { path: file.path, line: file.lineAt(offset), rule: "document-path", message };
}
