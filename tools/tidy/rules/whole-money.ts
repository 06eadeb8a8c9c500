/**
 * Money never becomes a float: no conversion to number and no fractional arithmetic where money is
 * counted.
 */
import { Visitor } from "oxc-parser";
import type { Expression } from "oxc-parser";
import { calleeName } from "../callee-name.ts";
import type { Finding } from "../finding.ts";
import type { Project, SourceFile } from "../read-project.ts";

/** Where every figure is money until shown otherwise. */
const MONEY_FILES = /^src\/(ledger\/|business\/payments\/|kernel\/money|catalogue\/price)/;
/**
 * A line that counts something else says so, on the line or above it:
 * `// not money: rows per batch`.
 */
const ESCAPE = /^\s*not money: \S/;
const ROUNDING_METHODS = new Set(["toFixed", "toPrecision", "toExponential"]);
/** Questions about a number, and names of limits; nothing is converted. */
const HARMLESS_NUMBER_MEMBERS = new Set([
  "isInteger",
  "isSafeInteger",
  "isFinite",
  "isNaN",
  "MAX_SAFE_INTEGER",
  "MIN_SAFE_INTEGER",
]);

export function checkWholeMoney(project: Project): Finding[] {
  return project.sources
    .filter((file) => file.path.startsWith("src/") && !file.isTest)
    .flatMap(checkFile);
}

function checkFile(file: SourceFile): Finding[] {
  const findings: Finding[] = [];
  const moneyFile = MONEY_FILES.test(file.path);
  const excused = new Set<number>();
  for (const comment of file.comments) {
    if (!ESCAPE.test(comment.value)) continue;
    const line = file.lineAt(comment.start);
    excused.add(line);
    excused.add(line + 1);
  }
  function report(offset: number, message: string): void {
    const line = file.lineAt(offset);
    if (!excused.has(line)) findings.push({ path: file.path, line, rule: "whole-money", message });
  }
  const advice =
    "stay in bigint nano-roubles (kernel/money), or write `// not money: what it is` where it is none";

  new Visitor({
    CallExpression(node) {
      const name = converterName(node.callee);
      const about =
        moneyFile ||
        node.arguments.some(
          (argument) => argument.type !== "SpreadElement" && namesMoney(argument),
        );
      if (about && name !== null) report(node.start, `${name}() makes a float; ${advice}`);
      const method = node.callee.type === "MemberExpression" ? calleeName(node.callee) : "";
      if (moneyFile && ROUNDING_METHODS.has(method))
        report(node.start, `${method}() rounds a float; ${advice}`);
    },
    MemberExpression(node) {
      if (!moneyFile || node.object.type !== "Identifier" || node.property.type !== "Identifier")
        return;
      const { name } = node.property;
      if (
        node.object.name === "Number" &&
        !HARMLESS_NUMBER_MEMBERS.has(name) &&
        !name.startsWith("parse")
      )
        report(node.start, `Number.${name} is a float; ${advice}`);
    },
    UnaryExpression(node) {
      if (node.operator === "+" && (moneyFile || namesMoney(node.argument)))
        report(node.start, `unary + makes a float; ${advice}`);
    },
    BinaryExpression(node) {
      if (node.operator !== "/" && node.operator !== "**") return;
      const numbers = isNumber(node.left) || isNumber(node.right);
      if (moneyFile && numbers)
        report(node.start, `${node.operator} on numbers leaves fractions; ${advice}`);
    },
    Literal(node) {
      if (!moneyFile || typeof node.value !== "number") return;
      if (!Number.isSafeInteger(node.value) || /^[^x]*[.e]/i.test(node.raw ?? ""))
        report(node.start, `${node.raw ?? ""} is a float; ${advice}`);
    },
  }).visit(file.program);
  return findings;
}

/**
 * The converting function that a callee names: `Number`, `parseFloat`, `Math.round`,
 * `Number.parseInt` …; else null.
 */
function converterName(callee: Expression): string | null {
  const name = calleeName(callee);
  if (callee.type === "Identifier")
    return ["Number", "parseFloat", "parseInt"].includes(name) ? name : null;
  if (callee.type !== "MemberExpression" || callee.object.type !== "Identifier") return null;
  if (callee.object.name === "Math" && name !== "") return `Math.${name}`;
  return callee.object.name === "Number" && name.startsWith("parse") ? `Number.${name}` : null;
}

/** Whether a value is called an amount: by the house's names, units come last. */
function namesMoney(node: Expression): boolean {
  if (node.type === "Identifier") return /(^n|N)ano$/.test(node.name);
  if (node.type === "MemberExpression")
    return node.property.type === "Identifier" && /(^n|N)ano$/.test(node.property.name);
  if (
    node.type === "CallExpression" ||
    node.type === "TSNonNullExpression" ||
    node.type === "TSAsExpression"
  ) {
    return namesMoney(node.type === "CallExpression" ? node.callee : node.expression);
  }
  return (
    node.type === "BinaryExpression" &&
    node.left.type !== "PrivateIdentifier" &&
    (namesMoney(node.left) || namesMoney(node.right))
  );
}

function isNumber(node: Expression | { type: "PrivateIdentifier" }): boolean {
  return node.type === "Literal" && typeof (node as { value?: unknown }).value === "number";
}
