/** Checks what the house's rules leave to a program: `node tools/tidy.ts [ROOT]` prints each breach and exits 1 if there is one. */
import { resolve } from "node:path";
import { formatFinding, type Finding } from "./tidy/finding.ts";
import { readProject, type Project } from "./tidy/read-project.ts";
import { checkDeclaredPackages } from "./tidy/rules/declared-packages.ts";
import { checkEnvironment } from "./tidy/rules/environment.ts";
import { checkFileShape } from "./tidy/rules/file-shape.ts";
import { checkForeignMarks } from "./tidy/rules/foreign-marks.ts";
import { checkImportCycles } from "./tidy/rules/import-cycles.ts";
import { checkImportDirections } from "./tidy/rules/import-directions.ts";
import { checkOutgoing } from "./tidy/rules/outgoing.ts";
import { checkPurity } from "./tidy/rules/purity.ts";
import { checkRoomReadmes } from "./tidy/rules/room-readmes.ts";
import { checkSqlPlaces } from "./tidy/rules/sql-places.ts";
import { checkWholeMoney } from "./tidy/rules/whole-money.ts";

const RULES: readonly ((project: Project) => Finding[])[] = [
  checkImportDirections,
  checkImportCycles,
  checkDeclaredPackages,
  checkEnvironment,
  checkOutgoing,
  checkPurity,
  checkSqlPlaces,
  checkWholeMoney,
  checkFileShape,
  checkRoomReadmes,
  checkForeignMarks,
];

const project = readProject(resolve(process.argv[2] ?? resolve(import.meta.dirname, "..")));
const findings = [...project.broken, ...RULES.flatMap((rule) => rule(project))];
findings.sort((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1));
for (const finding of findings) console.log(formatFinding(finding));
if (project.sources.length === 0) {
  console.log("tidy: there is no source file here, so nothing was checked");
  process.exitCode = 1;
} else if (findings.length > 0) {
  console.log(`tidy: ${findings.length} to mend in ${project.sources.length} files`);
  process.exitCode = 1;
} else console.log(`tidy: ${project.sources.length} files in order`);
