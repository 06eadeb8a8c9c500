/** The catalogue for operators: what is in force, its history, and what a new one would change. */
import type { Static } from "typebox";
import type { Catalogue } from "../../catalogue/catalogue.ts";
import { compareCatalogues } from "../../catalogue/compare-catalogues.ts";
import { compareMargins } from "../../catalogue/compare-margins.ts";
import { comparePrices } from "../../catalogue/compare-prices.ts";
import type { Environment } from "../../catalogue/interpolate.ts";
import { parseStoredCatalogue } from "../../catalogue/parse-catalogue.ts";
import { priceCells } from "../../catalogue/price-cells.ts";
import {
  findVersion,
  listVersions,
  newestVersion,
  type VersionHead,
} from "../../catalogue/store.ts";
import type {
  CatalogueChanges,
  CatalogueCheck,
  CataloguePrices,
  CatalogueSource,
  CatalogueVersion,
  CatalogueVersionList,
} from "../../contract/panel/operator-catalogue.ts";
import type { Queryable } from "../../db/database.ts";
import { Fault } from "../../kernel/faults.ts";
import { parseFromPanel } from "./catalogue-rules.ts";

/** `version` null: the one in force. Throws Fault("not_found"). */
export async function readCatalogueVersion(
  q: Queryable,
  version: number | null,
): Promise<CatalogueSource> {
  const stored = version === null ? await newestVersion(q) : await findVersion(q, version);
  if (stored === null) throw new Fault("not_found", { message: "There is no such version." });
  return { ...versionView(stored), source: stored.source };
}

/** Newest first; `below`: the last one of the page before. */
export async function listCatalogueVersions(
  q: Queryable,
  page: { readonly below: number | null; readonly limit: number },
): Promise<CatalogueVersionList> {
  const found = await listVersions(q, { below: page.below, limit: page.limit + 1 });
  const rows = found.slice(0, page.limit);
  return {
    data: rows.map(versionView),
    nextCursor: found.length > page.limit ? String(rows.at(-1)?.version) : null,
  };
}

/** Changes nothing. */
export async function checkCatalogue(
  q: Queryable,
  env: Environment,
  source: string,
): Promise<CatalogueCheck> {
  const inForce = await newestVersion(q);
  const reading = parseFromPanel(source, env);
  const head = {
    warnings: [...reading.warnings],
    inForce: inForce?.version ?? 0,
    unchanged: inForce?.source === source,
  };
  if (!reading.ok)
    return {
      ok: false,
      mistakes: [...reading.mistakes],
      changes: null,
      margins: [],
      belowCost: false,
      priceSteps: [],
      bigChange: false,
      ...head,
    };
  const before = inForce === null ? null : parseStoredCatalogue(inForce.source, env);
  const comparable = before?.ok === true ? before.catalogue : null;
  const margins = compareMargins(comparable, reading.catalogue);
  const belowCost = margins.some((row) => row.belowCost);
  const priceSteps = comparePrices(comparable, reading.catalogue);
  return {
    ok: true,
    mistakes: [],
    changes: changesView(comparable, reading.catalogue),
    margins,
    belowCost,
    priceSteps,
    bigChange: priceSteps.some(({ big }) => big),
    ...head,
  };
}

/** The table of prices of a text. Changes nothing. */
export async function readPrices(
  q: Queryable,
  env: Environment,
  source: string,
): Promise<CataloguePrices> {
  const stored = await newestVersion(q);
  const inForce = stored?.version ?? 0;
  const reading = parseFromPanel(source, env);
  if (!reading.ok) return { ok: false, mistakes: [...reading.mistakes], inForce, prices: [] };
  const before = stored === null ? null : parseStoredCatalogue(stored.source, env);
  const compared =
    stored !== null && before?.ok === true
      ? { source: stored.source, catalogue: before.catalogue }
      : null;
  const prices = priceCells({ source, catalogue: reading.catalogue }, compared);
  return { ok: true, mistakes: [], inForce, prices };
}

export function versionView({
  version,
  digest,
  origin,
  appliedBy,
  appliedAt,
  note,
}: VersionHead): CatalogueVersion {
  return { version, digest, origin, appliedBy, appliedAt: appliedAt.toISOString(), note };
}

function changesView(before: Catalogue | null, after: Catalogue): Static<typeof CatalogueChanges> {
  const changes = compareCatalogues(before, after);
  const {
    modelsAdded,
    modelsRemoved,
    pricesChanged,
    modelsChanged,
    upstreamsAdded,
    upstreamsRemoved,
    upstreamsChanged,
  } = changes;
  return {
    modelsAdded: [...modelsAdded],
    modelsRemoved: [...modelsRemoved],
    pricesChanged: pricesChanged.map((change) => ({ ...change })),
    routesAdded: routesMissing(after, before),
    routesRemoved: before === null ? [] : routesMissing(before, after),
    modelsChanged: [...modelsChanged],
    upstreamsAdded: [...upstreamsAdded],
    upstreamsRemoved: [...upstreamsRemoved],
    upstreamsChanged: [...upstreamsChanged],
    familiesChanged: changes.familiesChanged,
    receiptsChanged: changes.receiptsChanged,
  };
}

/** Routes of these models that those do not have. */
function routesMissing(these: Catalogue, those: Catalogue | null): CatalogueChanges["routesAdded"] {
  return [...these.models.values()].flatMap(({ id, routes }) => {
    const known = new Set(those?.models.get(id)?.routes.map(routeName));
    return routes
      .map(routeName)
      .flatMap((route) => (known.has(route) ? [] : [{ model: id, route }]));
  });
}

function routeName({
  upstream,
  model,
}: {
  readonly upstream: string;
  readonly model: string;
}): string {
  return `${upstream}/${model}`;
}
