/**
 * What the program asks the database is a declared statement, at the top of its module, where the
 * test that describes them all finds it; no call says by itself what its rows are.
 */
import { Visitor } from "oxc-parser";
import type { Expression, StaticMemberExpression } from "oxc-parser";
import type { Finding } from "../finding.ts";
import type { Project, SourceFile } from "../read-project.ts";

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
  const excused = UNDECLARED.some(([path]) => path === file.path);
  let functions = 0;
  /** Where callbacks of `map` begin: over a list at the top of a module they run when it is loaded. */
  const mapping = new Set<number>();
  const enter = ({ start }: { readonly start: number }): void => {
    if (!mapping.has(start)) functions++;
  };
  const leave = ({ start }: { readonly start: number }): void => {
    if (!mapping.has(start)) functions--;
  };
  new Visitor({
    FunctionDeclaration: enter,
    "FunctionDeclaration:exit": leave,
    FunctionExpression: enter,
    "FunctionExpression:exit": leave,
    ArrowFunctionExpression: enter,
    "ArrowFunctionExpression:exit": leave,
    CallExpression({ callee, arguments: [first] }) {
      if (isMember(callee, "map") && first !== undefined) mapping.add(first.start);
      if (callee.type === "Identifier" && callee.name === "statement" && functions > 0)
        report(
          callee.start,
          "declare statements at the top of the module: what a function makes, no test describes",
        );
      if (isMember(callee, "query") && !excused)
        report(
          callee.property.start,
          "declare a statement (src/db/statement.ts) and run it: nothing checks what a query says of its rows",
        );
    },
  }).visit(file.program);
  return findings;
}

function isMember(callee: Expression, name: string): callee is StaticMemberExpression {
  return (
    callee.type === "MemberExpression" &&
    callee.property.type === "Identifier" &&
    callee.property.name === name
  );
}
