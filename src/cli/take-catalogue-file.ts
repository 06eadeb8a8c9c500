/** What a start does with the catalogue file: puts it in force, and tells what is to be known of it. */
import { applyCatalogueFile } from "../business/operate/apply-catalogue.ts";
import { startActor } from "../business/operate/operator.ts";
import { mistakeLine, type CurrentCatalogue } from "../catalogue/live-catalogue.ts";
import { parseStoredCatalogue } from "../catalogue/parse-catalogue.ts";
import type { Db } from "../db/database.ts";
import { assert } from "../kernel/assert.ts";
import { lossLines } from "./margin-lines.ts";

export type CatalogueTaken =
  | { readonly kind: "mistakes"; readonly lines: readonly string[] }
  | {
      readonly kind: "taken";
      readonly warnings: readonly string[];
      /** Null: it was in force already. */
      readonly version: number | null;
      /** Compiled with the same environment; null where what is in force cannot be used. */
      readonly inForce: CurrentCatalogue | null;
    };

export async function takeCatalogueFile(
  db: Db,
  {
    source,
    env,
    user,
  }: {
    readonly source: string;
    readonly env: Readonly<Record<string, string | undefined>>;
    /** Of this system, who starts us. */
    readonly user: string;
  },
): Promise<CatalogueTaken> {
  const outcome = await applyCatalogueFile(db, {
    source,
    env,
    appliedBy: "start",
    actor: startActor(user),
  });
  assert(outcome.kind !== "below-cost", "a start is never asked to confirm losses");
  switch (outcome.kind) {
    case "mistakes":
      return { kind: "mistakes", lines: outcome.mistakes.map(mistakeLine) };
    case "applied": {
      const { catalogue } = outcome;
      const { version } = outcome.version;
      const warnings = [...outcome.warnings.map(mistakeLine), ...lossLines(outcome.margins)];
      return { kind: "taken", warnings, version, inForce: { version, catalogue } };
    }
    // What a release that came after this version would not take any more, and goes on as it was
    // sold.
    case "unchanged": {
      const { version, source: stored } = outcome.version;
      const reading = parseStoredCatalogue(stored, env);
      const inForce = reading.ok ? { version, catalogue: reading.catalogue } : null;
      return { kind: "taken", warnings: reading.warnings.map(mistakeLine), version: null, inForce };
    }
  }
}
