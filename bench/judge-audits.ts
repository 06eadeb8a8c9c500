/** Whether the books of every measured gateway are in order: nothing was traded for speed. */
import type { Audit } from "./peers/peer.ts";

/** What is wrong, a sentence each; none when all is well. */
export function judgeAudits(audits: readonly Audit[]): string[] {
  return audits.flatMap((audit) => {
    const wrong: string[] = [];
    if (audit.fsync !== "on" || audit.synchronousCommit !== "on") {
      wrong.push(
        `${audit.title} ran with fsync ${audit.fsync} and synchronous_commit ${audit.synchronousCommit}`,
      );
    }
    if (audit.verifyExitCode !== 0)
      wrong.push(
        `${audit.title}: ledger verify ended with ${audit.verifyExitCode}: ${audit.verifyOutput}`,
      );
    if (audit.charges !== audit.answers) {
      wrong.push(
        `${audit.title} has ${audit.charges} charges in its ledger for ${audit.answers} answers that were seen`,
      );
    }
    return wrong;
  });
}
