/**
 * The environment is read in one place: src/config. Everybody else is handed what they need.
 */
import { Visitor } from "oxc-parser";
import type { Finding } from "../finding.ts";
import type { Project } from "../read-project.ts";

const CONFIG = /^src\/config\//;

export function checkEnvironment(project: Project): Finding[] {
  const findings: Finding[] = [];
  for (const file of project.sources) {
    if (!/^(src|packages)\//.test(file.path) || file.isTest || CONFIG.test(file.path)) continue;
    const report = (line: number): void => {
      findings.push({
        path: file.path,
        line,
        rule: "environment",
        message: "read process.env in src/config only and hand the value in",
      });
    };
    for (const edge of file.imports)
      if (/^(node:)?process$/.test(edge.specifier) && edge.names.some((name) => name !== "argv"))
        report(edge.line);
    new Visitor({
      MemberExpression(node) {
        const named = node.computed
          ? node.property.type === "Literal" && node.property.value === "env"
          : node.property.type === "Identifier" && node.property.name === "env";
        const object = node.object;
        const isProcess =
          (object.type === "Identifier" && object.name === "process") ||
          (object.type === "MemberExpression" &&
            object.property.type === "Identifier" &&
            object.property.name === "process");
        const isImportMeta = object.type === "MetaProperty";
        if (named && (isProcess || isImportMeta)) report(file.lineAt(node.start));
      },
      VariableDeclarator(node) {
        const takesEnv =
          node.id.type === "ObjectPattern" &&
          node.id.properties.some(
            (property) =>
              property.type === "Property" &&
              property.key.type === "Identifier" &&
              property.key.name === "env",
          );
        if (takesEnv && node.init?.type === "Identifier" && node.init.name === "process")
          report(file.lineAt(node.start));
      },
    }).visit(file.program);
  }
  return findings;
}
