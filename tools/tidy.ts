/**
 * Checks what the house's rules leave to a program: `node tools/tidy.ts [ROOT]` prints each breach
 * and exits 1 if there is one.
 */
import { resolve } from "node:path";
import { checkProject } from "./tidy/check-project.ts";
import { formatFinding } from "./tidy/finding.ts";

const { findings, files } = checkProject(
  resolve(process.argv[2] ?? resolve(import.meta.dirname, "..")),
);
for (const finding of findings) console.log(formatFinding(finding));
if (files === 0) console.log("tidy: there is no source file here, so nothing was checked");
else if (findings.length > 0) console.log(`tidy: ${findings.length} to mend in ${files} files`);
else console.log(`tidy: ${files} files in order`);
process.exitCode = files === 0 || findings.length > 0 ? 1 : 0;
