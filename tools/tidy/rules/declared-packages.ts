/** What runs in production imports only what is installed in production. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Finding } from "../finding.ts";
import type { Project } from "../read-project.ts";

export function checkDeclaredPackages(project: Project): Finding[] {
  if (!project.paths.has("package.json")) return [];
  const manifest = JSON.parse(readFileSync(join(project.root, "package.json"), "utf8")) as Record<
    string,
    Record<string, string> | undefined
  >;
  const declared = new Set([
    ...Object.keys(manifest.dependencies ?? {}),
    ...Object.keys(manifest.optionalDependencies ?? {}),
  ]);
  const findings: Finding[] = [];
  for (const file of project.sources) {
    const production = /^(src|sandbox|bin)\//.test(file.path) && !file.isTest;
    if (!production) continue;
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
          message: `add ${packageName} to dependencies of package.json, or write node:${packageName} if it is a built-in`,
        });
    }
  }
  return findings;
}
