/** What runs in production imports only what is installed in production. */
import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import type { Finding } from "../finding.ts";
import type { Project } from "../read-project.ts";

/** The project's own, and one for each of its packages; the panel is a bundle, and has its rule. */
const MANIFEST = /^(packages\/[^/]+\/)?package\.json$/;

export function checkDeclaredPackages(project: Project): Finding[] {
  const manifests = [...project.paths].filter((path) => MANIFEST.test(path));
  return manifests.flatMap((path) => checkManifest(project, path));
}

function checkManifest(project: Project, path: string): Finding[] {
  const manifest = JSON.parse(readFileSync(join(project.root, path), "utf8")) as Record<
    string,
    Record<string, string> | undefined
  >;
  const declared = new Set([
    ...Object.keys(manifest.dependencies ?? {}),
    ...Object.keys(manifest.optionalDependencies ?? {}),
  ]);
  const folder = posix.dirname(path);
  const findings: Finding[] = [];
  for (const file of project.sources) {
    const production =
      folder === "." ? /^(src|sandbox|bin)\//.test(file.path) : file.path.startsWith(`${folder}/`);
    if (!production || file.isTest) continue;
    for (const edge of file.imports) {
      if (edge.typeOnly || edge.target !== null || edge.specifier.startsWith("#")) continue;
      const [scopeOrName = "", name = ""] = edge.specifier.split("/");
      const rule = "declared-package";
      if (edge.specifier.startsWith("node:")) continue;
      const packageName = scopeOrName.startsWith("@") ? `${scopeOrName}/${name}` : scopeOrName;
      if (!declared.has(packageName))
        findings.push({
          path: file.path,
          line: edge.line,
          rule,
          message: `add ${packageName} to dependencies of ${path}, or write node:${packageName} if it is a built-in`,
        });
    }
  }
  return findings;
}
