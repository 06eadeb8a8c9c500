/** No file leads back to itself over imports, those of types included. */
import type { Finding } from "../finding.ts";
import type { Project, SourceFile } from "../read-project.ts";

/**
 * Tarjan's strongly connected components: each component of more than one file is reported once, at
 * its first file.
 */
export function checkImportCycles(project: Project): Finding[] {
  const byPath = new Map(project.sources.map((file) => [file.path, file]));
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: SourceFile[] = [];
  const findings: Finding[] = [];

  function visit(file: SourceFile): number {
    const mine = order.size;
    order.set(file.path, mine);
    low.set(file.path, mine);
    stack.push(file);
    for (const edge of file.imports) {
      const next = byPath.get(edge.target ?? "");
      if (next === undefined) continue;
      if (!order.has(next.path)) lower(file.path, visit(next));
      else if (stack.includes(next)) lower(file.path, order.get(next.path) ?? mine);
    }
    if (low.get(file.path) === mine) report(stack.splice(stack.indexOf(file)));
    return low.get(file.path) ?? mine;
  }

  function lower(path: string, to: number): void {
    low.set(path, Math.min(low.get(path) ?? to, to));
  }

  function report(ring: readonly SourceFile[]): void {
    const members = ring.map((file) => file.path).toSorted();
    const first = ring.find((file) => file.path === members[0]);
    const edge = first?.imports.find((found) => members.includes(found.target ?? ""));
    if (first === undefined || edge === undefined) return;
    const rule = "import-cycle";
    findings.push({
      path: first.path,
      line: edge.line,
      rule,
      message: `break the cycle of ${members.join(", ")}: move what they share into one of its own`,
    });
  }

  for (const file of project.sources) if (!order.has(file.path)) visit(file);
  return findings;
}
