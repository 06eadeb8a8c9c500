/**
 * Puts a catalogue in force: checked whole, compared with the one before, stored as the next
 * version.
 */
import type { Catalogue } from "../../catalogue/catalogue.ts";
import type { CatalogueChanges } from "../../catalogue/compare-catalogues.ts";
import { compareCatalogues } from "../../catalogue/compare-catalogues.ts";
import { compareMargins } from "../../catalogue/compare-margins.ts";
import type { Environment } from "../../catalogue/interpolate.ts";
import { parseCatalogue, parseStoredCatalogue } from "../../catalogue/parse-catalogue.ts";
import type { StoredVersion } from "../../catalogue/store.ts";
import {
  appendVersion,
  lockVersions,
  newestFromFile,
  newestVersion,
} from "../../catalogue/store.ts";
import type { CatalogueMistake } from "../../contract/catalogue/catalogue-mistake.ts";
import type { MarginRow } from "../../contract/price/margin.ts";
import type { Db } from "../../db/database.ts";
import type { Actor } from "./operator.ts";
import { recordCatalogue } from "./record-catalogue.ts";

export interface CatalogueRequest {
  /** The file as it is written. */
  readonly source: string;
  readonly env: Environment;
  /** Who asks, for the record. */
  readonly appliedBy: string;
  /** Who asks, for the audit log. */
  readonly actor: Actor;
  /** Put it in force also where something is sold below its cost. */
  readonly allowLoss?: boolean;
}

export type ApplyOutcome =
  | {
      readonly kind: "applied";
      readonly version: StoredVersion;
      readonly catalogue: Catalogue;
      /** Null when the version before cannot be compiled here, so that nothing can be compared. */
      readonly changes: CatalogueChanges | null;
      readonly margins: readonly MarginRow[];
      readonly warnings: readonly CatalogueMistake[];
    }
  /** Nothing was changed: something would be sold below its cost, and that was not allowed. */
  | {
      readonly kind: "below-cost";
      readonly margins: readonly MarginRow[];
      readonly warnings: readonly CatalogueMistake[];
    }
  | { readonly kind: "unchanged"; readonly version: StoredVersion }
  | {
      readonly kind: "mistakes";
      readonly mistakes: readonly CatalogueMistake[];
      readonly warnings: readonly CatalogueMistake[];
    };

/** On demand: the next version, unless the one in force is the same text. */
export function applyCatalogue(db: Db, request: CatalogueRequest): Promise<ApplyOutcome> {
  return apply(db, request, "apply");
}

/**
 * At a start: the CATALOGUE file becomes the next version when it differs from the last version
 * that came from the file. Otherwise what is in force stays, so that a version applied later by
 * hand survives restarts.
 */
export function applyCatalogueFile(db: Db, request: CatalogueRequest): Promise<ApplyOutcome> {
  return apply(db, request, "file");
}

function apply(
  db: Db,
  request: CatalogueRequest,
  origin: StoredVersion["origin"],
): Promise<ApplyOutcome> {
  const { source, env, appliedBy, actor } = request;
  return db.transaction<ApplyOutcome>(async (tx) => {
    await lockVersions(tx);
    const inForce = await newestVersion(tx);
    const compared = origin === "file" ? await newestFromFile(tx) : inForce;
    if (inForce !== null && compared?.source === source)
      return { kind: "unchanged", version: inForce };
    const reading = parseCatalogue(source, env);
    if (!reading.ok)
      return { kind: "mistakes", mistakes: reading.mistakes, warnings: reading.warnings };
    const before = inForce === null ? null : parseStoredCatalogue(inForce.source, env);
    const changes =
      before?.ok === false ? null : compareCatalogues(before?.catalogue ?? null, reading.catalogue);
    const margins = compareMargins(
      before?.ok === true ? before.catalogue : null,
      reading.catalogue,
    );
    // No operator can confirm a start: what the file says is put in force, and the losses are told.
    const refused =
      origin === "apply" &&
      request.allowLoss !== true &&
      margins.some(({ belowCost }) => belowCost);
    if (refused) return { kind: "below-cost", margins, warnings: reading.warnings };
    const version = await appendVersion(tx, { source, origin, appliedBy });
    await recordCatalogue(tx, actor, { before: inForce, version, changes });
    const { catalogue, warnings } = reading;
    return { kind: "applied", version, catalogue, changes, margins, warnings };
  });
}
