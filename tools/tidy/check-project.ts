/** Holds a project against every rule. */
import type { Finding } from "./finding.ts";
import { readProject, type Project } from "./read-project.ts";
import { checkCitations } from "./rules/citations.ts";
import { checkDeclaredPackages } from "./rules/declared-packages.ts";
import { checkDocumentedPackages } from "./rules/documented-packages.ts";
import { checkDocumentPaths } from "./rules/document-paths.ts";
import { checkEnvironment } from "./rules/environment.ts";
import { checkFileShape } from "./rules/file-shape.ts";
import { checkForeignMarks } from "./rules/foreign-marks.ts";
import { checkGoneWords } from "./rules/gone-words.ts";
import { checkImportCycles } from "./rules/import-cycles.ts";
import { checkImportDirections } from "./rules/import-directions.ts";
import { checkNamedPaths } from "./rules/named-paths.ts";
import { checkOutgoing } from "./rules/outgoing.ts";
import { checkPackageImports } from "./rules/package-imports.ts";
import { checkPanelImports } from "./rules/panel-imports.ts";
import { checkPurity } from "./rules/purity.ts";
import { checkRoomReadmes } from "./rules/room-readmes.ts";
import { checkRoomOrder } from "./rules/room-order.ts";
import { checkSqlPlaces } from "./rules/sql-places.ts";
import { checkTestsOwnFiles } from "./rules/tests-own-files.ts";
import { checkUncheckedQuery } from "./rules/unchecked-query.ts";
import { checkWholeMoney } from "./rules/whole-money.ts";

const RULES: readonly ((project: Project) => Finding[])[] = [
  checkImportDirections,
  checkImportCycles,
  checkRoomOrder,
  checkPanelImports,
  checkPackageImports,
  checkDeclaredPackages,
  checkDocumentedPackages,
  checkEnvironment,
  checkOutgoing,
  checkPurity,
  checkSqlPlaces,
  checkUncheckedQuery,
  checkWholeMoney,
  checkFileShape,
  checkGoneWords,
  checkTestsOwnFiles,
  checkRoomReadmes,
  checkForeignMarks,
  checkCitations,
  checkDocumentPaths,
  checkNamedPaths,
];

/** The findings in the order of the files, and how many source files were looked at. */
export function checkProject(root: string): {
  readonly findings: readonly Finding[];
  readonly files: number;
} {
  const project = readProject(root);
  const findings = [...project.broken, ...RULES.flatMap((rule) => rule(project))];
  findings.sort((a, b) => inOrder(a.path, b.path) || a.line - b.line || inOrder(a.rule, b.rule));
  return { findings, files: project.sources.length };
}

function inOrder(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
