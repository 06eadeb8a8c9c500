/**
 * A package of packages/ stands alone, so that others could take it as it is: it imports nothing of
 * the project, and its tests neither.
 */
import type { Finding } from "../finding.ts";
import type { Project } from "../read-project.ts";

const PACKAGE = /^packages\/[^/]+\//;

export function checkPackageImports(project: Project): Finding[] {
  return project.sources.flatMap(({ path, imports }) => {
    const folder = PACKAGE.exec(path)?.[0];
    if (folder === undefined) return [];
    return imports
      .filter(({ target }) => target !== null && !target.startsWith(folder))
      .map(({ line, specifier }) => ({
        path,
        line,
        rule: "package-import",
        message: `${folder.slice(0, -1)} stands alone and may not import ${specifier}; hand in what it gives, or move it along`,
      }));
  });
}
