/**
 * SQL is written in store files and db/ only, transactions open in serving, business and cli,
 * and no value is pasted into a statement.
 */
import { Visitor } from "oxc-parser";
import type { CallExpression, Expression } from "oxc-parser";
import { calleeName } from "../callee-name.ts";
import type { Finding } from "../finding.ts";
import type { Project, SourceFile } from "../read-project.ts";

const STORE =
  /^src\/([^/]+\/)+(store\/.+|[^/]+\.store|[^/]+-store|store)\.ts$|^src\/[^/]+\/store\/.+\.ts$/;
const OPENS_TRANSACTIONS = new Set(["db", "serving", "business", "cli", "main"]);
const KYSELY = new Set([
  "selectFrom",
  "insertInto",
  "updateTable",
  "deleteFrom",
  "mergeInto",
  "selectNoFrom",
]);

/** How a statement begins; whole forms, so that an English sentence does not count. */
const STATEMENT = [
  /^select\b[\s\S]*\bfrom\b/i,
  /^SELECT\b/,
  /^insert\s+into\b/i,
  /^update\s+\S+\s+(as\s+\w+\s+)?set\b/i,
  /^delete\s+from\b/i,
  /^with\s+(recursive\s+)?\w+(\s*\([^)]*\))?\s+as\s+((not\s+)?materialized\s*)?\(/i,
  /^merge\s+into\b/i,
  /^(create|alter|drop|comment\s+on)\s+(or\s+replace\s+)?(table|index|unique|schema|role|user|database|function|trigger|view|type|sequence|extension|policy)\b/i,
  /^(truncate|grant|revoke|listen|notify|unlisten|lock\s+table|savepoint|set\s+local|vacuum|analyze)\s/i,
  /^(BEGIN|COMMIT|ROLLBACK)\b/,
];
/** Words that begin both a statement and a sentence: only the shouted form counts. */
const AMBIGUOUS = /^(truncate|grant|revoke|listen|notify|unlisten|vacuum|analyze)\s/;
/** A statement is written in capitals or without any; only a sentence begins with one. */
const SENTENCE = /^[A-Z][a-z]/;

export function checkSqlPlaces(project: Project): Finding[] {
  return project.sources
    .filter((file) => file.path.startsWith("src/") && !file.isTest)
    .flatMap(checkFile);
}

function isStatement(text: string): boolean {
  const trimmed = text.replace(/^(\s|--[^\n]*\n|\/\*[\s\S]*?\*\/)*/, "");
  return (
    STATEMENT.some((form) => form.test(trimmed)) &&
    !AMBIGUOUS.test(trimmed) &&
    !SENTENCE.test(trimmed)
  );
}

function checkFile(file: SourceFile): Finding[] {
  const findings: Finding[] = [];
  const place = file.room === "db" || STORE.test(file.path);
  function report(offset: number, message: string): void {
    findings.push({ path: file.path, line: file.lineAt(offset), rule: "sql", message });
  }
  const move =
    "SQL belongs in store.ts, *.store.ts or store/ of the room that owns the table, or in db/";
  const tagged = new Set<number>();
  /** Names that run through a constant list: `for (const part of PARTS)`, `PARTS.map((part) => …)`. */
  const partsOfConstants = new Set<string>();
  new Visitor({
    Literal(node) {
      if (!place && typeof node.value === "string" && isStatement(node.value))
        report(node.start, move);
    },
    TaggedTemplateExpression(node) {
      tagged.add(node.quasi.start);
      if (!place && node.tag.type === "Identifier" && node.tag.name === "sql")
        report(node.start, move);
    },
    ForOfStatement(node) {
      const declared =
        node.left.type === "VariableDeclaration" ? node.left.declarations[0]?.id : undefined;
      if (declared?.type === "Identifier" && isConstant(node.right))
        partsOfConstants.add(declared.name);
    },
    TemplateLiteral(node) {
      if (
        tagged.has(node.start) ||
        !isStatement(node.quasis.map((part) => part.value.raw).join("x"))
      )
        return;
      if (!place) report(node.start, move);
      const pasted = node.expressions.find(
        (expression) =>
          !isConstant(expression) &&
          !(expression.type === "Identifier" && partsOfConstants.has(expression.name)),
      );
      if (pasted !== undefined)
        report(
          pasted.start,
          "pass values as parameters ($1 …); only an UPPER_CASE constant or a quoteIdentifier(…) may stand in a statement",
        );
    },
    CallExpression(node) {
      if (node.callee.type !== "MemberExpression" || node.callee.property.type !== "Identifier")
        return;
      const { name } = node.callee.property;
      const part = name === "map" && isConstant(node.callee.object) ? partOf(node) : undefined;
      if (part !== undefined) partsOfConstants.add(part);
      if (!place && KYSELY.has(name)) report(node.callee.property.start, move);
      if (name === "transaction" && !OPENS_TRANSACTIONS.has(file.room ?? "")) {
        report(
          node.callee.property.start,
          "take the transaction as the first argument; they open in serving, business and cli only",
        );
      }
    },
  }).visit(file.program);
  return findings;
}

/** What the callback of a `map` calls each item. */
function partOf({ arguments: [callback] }: CallExpression): string | undefined {
  const [part] = callback?.type === "ArrowFunctionExpression" ? callback.params : [];
  return part?.type === "Identifier" ? part.name : undefined;
}

/**
 * What may stand inside a statement: a constant by name, or an identifier that was quoted for it.
 */
function isConstant(node: Expression): boolean {
  if (node.type === "Identifier") return /^[A-Z][A-Z0-9_]*$/.test(node.name);
  if (node.type === "MemberExpression")
    return node.object.type === "Identifier" && /^[A-Z][A-Z0-9_]*$/.test(node.object.name);
  return (
    node.type === "CallExpression" &&
    /^(quote|escape)(Identifier|Literal)$/.test(calleeName(node.callee))
  );
}
