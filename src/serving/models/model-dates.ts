/** Since when the catalogue has each of its models: `created` in lists (contract §13). */
import type { CurrentCatalogue } from "../../catalogue/live-catalogue.ts";
import { modelIdsIn } from "../../catalogue/model-ids.ts";
import { firstVersionsNaming, type Naming } from "../../catalogue/store.ts";
import type { Queryable } from "../../db/database.ts";

export type ModelDates = (current: CurrentCatalogue) => Promise<ReadonlyMap<string, Date>>;

/**
 * Reads the stored versions once for each version in force, and keeps what it found. A version's
 * text may name a model elsewhere (in a comment, as an upstream's), so the first that names it is
 * read as a catalogue, and if need be the next.
 */
export function createModelDates(db: Queryable): ModelDates {
  const dates = new Map<string, Date>();
  let known = 0;
  let reading: Promise<void> | null = null;

  async function read({ version, catalogue }: CurrentCatalogue): Promise<void> {
    // A model that was taken out and comes back is what it was.
    const wanted = new Map(
      [...catalogue.models.keys()]
        .filter((id) => !dates.has(id))
        .map((id): [string, number] => [id, 0]),
    );
    while (wanted.size > 0) {
      const found = await firstVersionsNaming(db, wanted);
      const named = new Set(found.map(({ text }) => text));
      for (const id of wanted.keys()) if (!named.has(id)) wanted.delete(id);
      takeOver(found, wanted);
    }
    known = version;
  }

  function takeOver(found: readonly Naming[], wanted: Map<string, number>): void {
    for (const [version, sameVersion] of Map.groupBy(found, (naming) => naming.version)) {
      const ids = modelIdsIn(sameVersion[0]?.source ?? "");
      for (const { text, appliedAt } of sameVersion) {
        if (ids.has(text)) {
          dates.set(text, appliedAt);
          wanted.delete(text);
        } else wanted.set(text, version);
      }
    }
  }

  return async (current) => {
    if (current.version === known) return dates;
    reading ??= read(current).finally(() => (reading = null));
    await reading;
    return dates;
  };
}
