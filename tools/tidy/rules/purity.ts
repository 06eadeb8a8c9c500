/**
 * Kernel, contract and protocol are pure: the same input gives the same output, on any machine, at
 * any time.
 */
import { Visitor } from "oxc-parser";
import type { Finding } from "../finding.ts";
import type { Project, SourceFile } from "../read-project.ts";

/** Built-in modules that compute and reach nothing outside. */
const PURE_BUILT_INS: ReadonlyMap<string, readonly string[]> = new Map([
  ["kernel", ["node:crypto", "node:zlib", "node:buffer"]],
  ["contract", ["node:buffer"]],
  ["protocol", ["node:buffer", "node:crypto", "node:string_decoder", "node:util"]],
]);

/** The kernel's two endpoints to the machine: the clock others are handed, and fresh ids. */
const CLOCK = "src/kernel/clock.ts";

/** `setImmediate` is no clock: long computations use it to let others have a turn. */
const GLOBALS = new Set([
  "process",
  "setTimeout",
  "setInterval",
  "fetch",
  "performance",
  "require",
]);

export function checkPurity(project: Project): Finding[] {
  return project.sources
    .filter((file) => PURE_BUILT_INS.has(file.room ?? "") && !file.isTest)
    .flatMap(checkFile);
}

function checkFile(file: SourceFile): Finding[] {
  const findings: Finding[] = [];
  const room = file.room ?? "";
  function report(line: number, what: string): void {
    findings.push({
      path: file.path,
      line,
      rule: "purity",
      message: `${room} is pure, so ${what}`,
    });
  }
  for (const edge of file.imports) {
    const builtIn = edge.specifier.startsWith("node:");
    if (edge.specifier === "node:timers/promises" && edge.names.join() === "setImmediate") continue;
    if (builtIn && PURE_BUILT_INS.get(room)?.includes(edge.specifier) !== true)
      report(edge.line, `do not import ${edge.specifier}; hand in what it would give`);
    else if (room === "kernel" && !builtIn && edge.target === null)
      report(edge.line, `do not import the package ${edge.specifier}; the kernel stands alone`);
  }
  if (file.path === CLOCK) return findings;
  const clock = "take the time from a Clock handed in";
  new Visitor({
    MemberExpression(node) {
      if (node.object.type !== "Identifier" || node.property.type !== "Identifier") return;
      const name = `${node.object.name}.${node.property.name}`;
      if (name === "Date.now") report(file.lineAt(node.start), clock);
      if (name === "Math.random") report(file.lineAt(node.start), "hand in what is random");
      if (GLOBALS.has(node.object.name))
        report(
          file.lineAt(node.start),
          `do not use ${node.object.name}; hand in what it would give`,
        );
    },
    NewExpression(node) {
      if (
        node.callee.type === "Identifier" &&
        node.callee.name === "Date" &&
        node.arguments.length === 0
      )
        report(file.lineAt(node.start), clock);
    },
    CallExpression(node) {
      if (node.callee.type !== "Identifier") return;
      if (node.callee.name === "Date") report(file.lineAt(node.start), clock);
      if (GLOBALS.has(node.callee.name))
        report(
          file.lineAt(node.start),
          `do not call ${node.callee.name}; hand in what it would do`,
        );
    },
  }).visit(file.program);
  return findings;
}
