/**
 * What the program asks the database is a declared statement, at the top of its module, where the
 * test that describes them all finds it; no call says by itself what its rows are.
 */
import { Visitor } from "oxc-parser";
import type { Finding } from "../finding.ts";
import type { Project, SourceFile } from "../read-project.ts";

/** Folders that still ask unchecked. The list gets shorter only. */
const EXCUSED: readonly string[] = [
  "src/accounts/",
  "src/catalogue/",
  "src/files/",
  "src/idempotency/",
  "src/ledger/",
  "src/limits/",
  "src/serving/",
  "src/tasks/",
  "src/usage/",
];

/** Where a text is sent that cannot be declared, and why. */
const UNDECLARED: readonly (readonly [path: string, why: string])[] = [
  ["src/db/database.ts", "sends what is declared, and what tests ask"],
  ["src/db/run-statement.ts", "sends what is declared"],
  ["src/db/hot-connection.ts", "writes a whole transaction to the driver, and rolls one back"],
  ["src/db/listen.ts", "LISTEN takes no parameters: its channels are part of the text"],
  ["src/db/migrate.ts", "sends files, after the table that knows of them, which may not be there"],
];

export function checkUncheckedQuery(project: Project): Finding[] {
  return project.sources
    .filter((file) => file.path.startsWith("src/") && !file.isTest)
    .flatMap(checkFile);
}

function checkFile(file: SourceFile): Finding[] {
  const findings: Finding[] = [];
  function report(offset: number, message: string): void {
    findings.push({ path: file.path, line: file.lineAt(offset), rule: "unchecked-query", message });
  }
  const excused = [...EXCUSED, ...UNDECLARED.map(([path]) => path)].some((path) =>
    file.path.startsWith(path),
  );
  let functions = 0;
  const enter = (): void => void functions++;
  const leave = (): void => void functions--;
  new Visitor({
    FunctionDeclaration: enter,
    "FunctionDeclaration:exit": leave,
    FunctionExpression: enter,
    "FunctionExpression:exit": leave,
    ArrowFunctionExpression: enter,
    "ArrowFunctionExpression:exit": leave,
    CallExpression({ callee }) {
      if (callee.type === "Identifier" && callee.name === "statement" && functions > 0)
        report(
          callee.start,
          "declare statements at the top of the module: what a function makes, no test describes",
        );
      if (
        callee.type === "MemberExpression" &&
        callee.property.type === "Identifier" &&
        callee.property.name === "query" &&
        !excused
      )
        report(
          callee.property.start,
          "declare a statement (src/db/statement.ts) and run it: nothing checks what a query says of its rows",
        );
    },
  }).visit(file.program);
  return findings;
}
