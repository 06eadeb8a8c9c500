/**
 * Older price lists, for the receipts that were priced by them: read from what is stored, a few of
 * them kept at hand.
 */
import type { Catalogue } from "../../catalogue/catalogue.ts";
import type { Environment } from "../../catalogue/interpolate.ts";
import { parseStoredCatalogue } from "../../catalogue/parse-catalogue.ts";
import { findVersion } from "../../catalogue/store.ts";
import type { Queryable } from "../../db/database.ts";

export interface PriceList {
  readonly version: number;
  readonly appliedAt: Date;
  /**
   * Null: it cannot be read any more, such as when a variable of the environment that it names is
   * gone.
   */
  readonly catalogue: Catalogue | null;
}

export interface PriceHistory {
  /** Null: there is no such version. */
  find(version: number): Promise<PriceList | null>;
}

const KEPT = 8;

export function createPriceHistory(db: Queryable, env: Environment): PriceHistory {
  const kept = new Map<number, PriceList>();
  /**
   * Reading a large catalogue keeps the whole process busy: however many ask at once, it is read
   * once.
   */
  const reading = new Map<number, Promise<PriceList | null>>();

  async function read(version: number): Promise<PriceList | null> {
    const stored = await findVersion(db, version);
    if (stored === null) return null;
    const parsed = parseStoredCatalogue(stored.source, env);
    const list = {
      version,
      appliedAt: stored.appliedAt,
      catalogue: parsed.ok ? parsed.catalogue : null,
    };
    const [oldest] = kept.keys();
    if (kept.size >= KEPT && oldest !== undefined) kept.delete(oldest);
    kept.set(version, list);
    return list;
  }

  return {
    async find(version) {
      const known = kept.get(version);
      if (known !== undefined) return known;
      const underWay = reading.get(version) ?? read(version).finally(() => reading.delete(version));
      reading.set(version, underWay);
      return underWay;
    },
  };
}
