/** An operator puts a catalogue in force in the panel, with a row in the audit log. */
import { sayRefusal } from "../../contract/sentences/say-refusal.ts";
import type { Catalogue } from "../../catalogue/catalogue.ts";
import type { Environment } from "../../catalogue/interpolate.ts";
import { compareCatalogues } from "../../catalogue/compare-catalogues.ts";
import { compareMargins } from "../../catalogue/compare-margins.ts";
import { comparePrices } from "../../catalogue/compare-prices.ts";
import { mistakeLine } from "../../catalogue/live-catalogue.ts";
import { parseStoredCatalogue } from "../../catalogue/parse-catalogue.ts";
import { appendVersion, lockVersions, newestVersion } from "../../catalogue/store.ts";
import type {
  CatalogueApplied,
  CatalogueApplyBody,
} from "../../contract/panel/operator-catalogue.ts";
import type { Db } from "../../db/database.ts";
import { Fault, type FaultDetails } from "../../kernel/faults.ts";
import { versionView } from "./catalogue-pages.ts";
import { parseFromPanel } from "./catalogue-rules.ts";
import { actorOf, type Operator } from "./operator.ts";
import { recordCatalogue } from "./record-catalogue.ts";

/**
 * Throws Fault: `conflict` when another version came between, `invalid_request` with all mistakes.
 * The very text in force changes nothing.
 */
export function applyFromPanel(
  db: Db,
  env: Environment,
  operator: Operator,
  body: CatalogueApplyBody,
): Promise<CatalogueApplied> {
  const { source, expectedVersion } = body;
  const reading = parseFromPanel(source, env);
  const warnings = [...reading.warnings];
  if (!reading.ok) {
    throw new Fault("invalid_request", {
      ...sayRefusal("catalogue_mistakes"),
      errors: reading.mistakes.map((mistake) => ({
        param: mistake.path,
        code: "catalogue",
        message: mistakeLine(mistake),
      })),
    });
  }
  return db.transaction<CatalogueApplied>(async (tx) => {
    await lockVersions(tx);
    const inForce = await newestVersion(tx);
    if ((inForce?.version ?? 0) !== expectedVersion) {
      throw new Fault(
        "conflict",
        sayRefusal("version_in_force", { now: inForce?.version ?? 0, expected: expectedVersion }),
      );
    }
    if (inForce?.source === source)
      return { changed: false, version: versionView(inForce), warnings };
    const note = body.note?.trim() ?? "";
    const before = inForce === null ? null : parseStoredCatalogue(inForce.source, env);
    const comparable = before?.ok === true ? before.catalogue : null;
    const asked = [
      ...(body.allowLoss === true ? [] : lossesIn(comparable, reading.catalogue)),
      ...(body.allowBigChange === true ? [] : bigChangesIn(comparable, reading.catalogue)),
    ];
    if (asked.length > 0) throw toConfirm(asked);
    const version = await appendVersion(tx, {
      source,
      origin: "apply",
      appliedBy: operator.email,
      note: note === "" ? null : note,
    });
    const changes =
      before?.ok === false ? null : compareCatalogues(before?.catalogue ?? null, reading.catalogue);
    await recordCatalogue(tx, actorOf(operator), { before: inForce, version, changes });
    return { changed: true, version: versionView(version), warnings };
  });
}

/** What is put in force only when it was said that it is meant. */
type ToConfirm = NonNullable<FaultDetails["errors"]>[number];

function lossesIn(before: Catalogue | null, after: Catalogue): ToConfirm[] {
  const models = compareMargins(before, after).filter((row) => row.belowCost);
  return models.length === 0
    ? []
    : [{ param: "allowLoss", code: "below_cost", message: `Sold below cost: ${namesOf(models)}.` }];
}

function bigChangesIn(before: Catalogue | null, after: Catalogue): ToConfirm[] {
  const models = comparePrices(before, after).filter(({ big }) => big);
  return models.length === 0
    ? []
    : [
        {
          param: "allowBigChange",
          code: "big_change",
          message: `Prices change by half or more: ${namesOf(models)}.`,
        },
      ];
}

function namesOf(rows: readonly { readonly model: string }[]): string {
  return [...new Set(rows.map(({ model }) => model))].join(", ");
}

function toConfirm(errors: readonly ToConfirm[]): Fault {
  const params = errors.map(({ param }) => param);
  const sentences = errors.map(({ message }) => message).join(" ");
  return new Fault("invalid_request", {
    message: `${sentences} Confirm it with ${params.join(" and ")}, or change the prices. Nothing was changed.`,
    ...(params.length === 1 && params[0] !== undefined ? { param: params[0] } : {}),
    errors: [...errors],
  });
}
