/**
 * No file leads back to itself over imports, those of types included, and no folder over other
 * folders. What a folder and one inside it import of each other is no circle of folders: the outer
 * one puts its parts together.
 */
import { posix } from "node:path";
import type { Finding } from "../finding.ts";
import type { Project, SourceFile } from "../read-project.ts";
import { strongComponents } from "../strong-components.ts";

/** Each circle is reported once, at its first file. */
export function checkImportCycles(project: Project): Finding[] {
  return [...circlesOfFiles(project.sources), ...circlesOfFolders(project.sources)];
}

function circlesOfFiles(sources: readonly SourceFile[]): Finding[] {
  const byPath = new Map(sources.map((file) => [file.path, file]));
  const next = (path: string): string[] =>
    targetsOf(byPath.get(path)).filter((target) => byPath.has(target));
  return strongComponents(byPath.keys(), next).map((circle) => {
    const members = circle.toSorted();
    const message = `break the cycle of ${members.join(", ")}: move what they share into one of its own`;
    const first = byPath.get(members[0] ?? "");
    return finding("import-cycle", first === undefined ? [] : [first], members, message);
  });
}

/**
 * Tests may stand beside anything; the panel's router and its pages know each other (rule
 * `panel-import` has the order of its parts).
 */
function circlesOfFolders(sources: readonly SourceFile[]): Finding[] {
  const byFolder = Map.groupBy(
    sources.filter(({ path, isTest }) => !isTest && !path.startsWith("panel/")),
    ({ path }) => posix.dirname(path),
  );
  const next = (folder: string): string[] =>
    (byFolder.get(folder) ?? [])
      .flatMap(targetsOf)
      .map((target) => posix.dirname(target))
      .filter(
        (other) => byFolder.has(other) && !isWithin(other, folder) && !isWithin(folder, other),
      );
  return strongComponents(byFolder.keys(), next).map((circle) => {
    const folders = circle.toSorted();
    const message = `break the circle of the folders ${folders.join(", ")}: one of them builds on the others`;
    const files = folders.flatMap((folder) => byFolder.get(folder) ?? []);
    const targets = files
      .filter(({ path }) => posix.dirname(path) !== folders[0])
      .map(({ path }) => path);
    return finding("folder-circle", files, targets, message);
  });
}

function isWithin(folder: string, outer: string): boolean {
  return folder === outer || folder.startsWith(`${outer}/`);
}

function targetsOf(file: SourceFile | undefined): string[] {
  return (file?.imports ?? []).flatMap(({ target }) => target ?? []);
}

/** At the first of these files that imports one of these. */
function finding(
  rule: string,
  files: readonly SourceFile[],
  targets: readonly string[],
  message: string,
): Finding {
  for (const file of files) {
    const edge = file.imports.find(({ target }) => targets.includes(target ?? ""));
    if (edge !== undefined) return { path: file.path, line: edge.line, rule, message };
  }
  return { path: files[0]?.path ?? "", line: 1, rule, message };
}
