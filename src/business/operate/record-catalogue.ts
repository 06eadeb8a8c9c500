/** The audit log's row of a catalogue that was put in force. */
import { recordAction } from "./audit.store.ts";
import { describeChanges, type CatalogueChanges } from "../../catalogue/compare-catalogues.ts";
import type { VersionHead } from "../../catalogue/store.ts";
import type { Tx } from "../../db/database.ts";
import type { Actor } from "./operator.ts";

export interface CatalogueStep {
  /** What was in force; null: nothing. */
  readonly before: VersionHead | null;
  readonly version: VersionHead;
  /** Null when the version before cannot be compiled here, so that nothing can be compared. */
  readonly changes: CatalogueChanges | null;
}

const MOST_LINES = 500;

export function recordCatalogue(
  tx: Tx,
  actor: Actor,
  { before, version, changes }: CatalogueStep,
): Promise<void> {
  const lines =
    changes === null ? ["the version before cannot be read here"] : describeChanges(changes);
  return recordAction(tx, {
    ...actor,
    action: "catalogue.apply",
    accountId: null,
    subject: `version ${version.version}`,
    reason: version.note,
    before: before === null ? null : { version: before.version, digest: before.digest },
    after: {
      version: version.version,
      digest: version.digest,
      changes: lines.slice(0, MOST_LINES),
    },
  });
}
