/** What a tidy rule reports: a place, the rule's name, and what to do about it. */

export interface Finding {
  /** From the root of the project, with slashes. */
  readonly path: string;
  /** From 1; for a whole file 1. */
  readonly line: number;
  readonly rule: string;
  /** Tells what to do, not only what is wrong. */
  readonly message: string;
}

export function formatFinding(finding: Finding): string {
  return `${finding.path}:${finding.line} ${finding.rule}: ${finding.message}`;
}
