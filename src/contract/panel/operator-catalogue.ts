/**
 * The catalogue in the panel: what is in force, its history, a new one checked and put in force.
 * Credentials are names only.
 */
import Type from "typebox";
import { moment, roubles } from "../money.ts";
import type { CatalogueMistake } from "../catalogue/catalogue-mistake.ts";
import { MarginRow } from "../price/margin.ts";
import { PriceCell } from "../price/price-cell.ts";
import { PriceStep } from "../price/price-step.ts";
import { nullableInteger, nullableString } from "../nullable.ts";

const source = Type.String({
  minLength: 1,
  maxLength: 900_000,
  description: "YAML, as it is written.",
});

const Mistake = Type.Unsafe<CatalogueMistake>(
  Type.Object({
    path: Type.String({ description: "Such as models.a.price.input; empty: the whole file." }),
    line: nullableInteger({}, { description: "From 1; null: none." }),
    code: Type.String({ description: "Stable, of src/contract/catalogue/catalogue-mistake.ts." }),
    params: Type.Record(Type.String(), Type.Unknown(), {
      description: "What a sentence about this code names.",
    }),
    message: Type.String({ description: "The sentence, English." }),
  }),
);

/** A row of `GET operator/catalogue/versions`, newest first. */
export const CatalogueVersion = Type.Object({
  version: Type.Integer(),
  digest: Type.String(),
  /** `file`: taken from the file at a start; `apply`: by a command or the panel. */
  origin: Type.Enum(["file", "apply"]),
  appliedBy: Type.String(),
  appliedAt: moment("When it came into force."),
  note: nullableString({ description: "" }),
});
export type CatalogueVersion = Type.Static<typeof CatalogueVersion>;

export const CatalogueVersionList = Type.Object({
  data: Type.Array(CatalogueVersion),
  nextCursor: nullableString({ description: "" }),
});
export type CatalogueVersionList = Type.Static<typeof CatalogueVersionList>;

/** `GET operator/catalogue` (the one in force) and `GET operator/catalogue/versions/{version}`. */
export const CatalogueSource = Type.Object({ ...CatalogueVersion.properties, source });
export type CatalogueSource = Type.Static<typeof CatalogueSource>;

export const CatalogueChanges = Type.Object({
  modelsAdded: Type.Array(Type.String()),
  modelsRemoved: Type.Array(Type.String()),
  pricesChanged: Type.Array(
    Type.Object({
      model: Type.String(),
      field: Type.String(),
      before: Type.String(),
      after: Type.String(),
    }),
  ),
  /** What every route is called by: `upstream/model`. */
  routesAdded: Type.Array(Type.Object({ model: Type.String(), route: Type.String() })),
  routesRemoved: Type.Array(Type.Object({ model: Type.String(), route: Type.String() })),
  /** In something else than their price. */
  modelsChanged: Type.Array(Type.String()),
  upstreamsAdded: Type.Array(Type.String()),
  upstreamsRemoved: Type.Array(Type.String()),
  upstreamsChanged: Type.Array(Type.String()),
  familiesChanged: Type.Boolean(),
  receiptsChanged: Type.Boolean(),
});
export type CatalogueChanges = Type.Static<typeof CatalogueChanges>;

export const CatalogueCheckBody = Type.Object({ source });
export type CatalogueCheckBody = Type.Static<typeof CatalogueCheckBody>;

/** `POST operator/catalogue/check`: changes nothing. */
export const CatalogueCheck = Type.Object({
  ok: Type.Boolean(),
  mistakes: Type.Array(Mistake),
  /** They stop nothing. */
  warnings: Type.Array(Mistake),
  /** What it would be compared with: send it as `expectedVersion`. */
  inForce: Type.Integer(),
  /** The very text that is in force. */
  unchanged: Type.Boolean(),
  /** Null with mistakes. */
  changes: Type.Union([CatalogueChanges, Type.Null()]),
  /** Cost and margin of every model, tier and variant before and after; empty with mistakes. */
  margins: Type.Array(MarginRow),
  /** Something would be sold below its cost: it is put in force only with `allowLoss`. */
  belowCost: Type.Boolean(),
  /** Every price that changes, as requests meet it; empty with mistakes. */
  priceSteps: Type.Array(PriceStep),
  /** One of them is big: it is put in force only with `allowBigChange`. */
  bigChange: Type.Boolean(),
});
export type CatalogueCheck = Type.Static<typeof CatalogueCheck>;

/** `POST operator/catalogue/prices` {source}: changes nothing. */
export const CataloguePrices = Type.Object({
  ok: Type.Boolean(),
  mistakes: Type.Array(Mistake),
  /** What `before` is of. */
  inForce: Type.Integer(),
  /** In the order of the text; empty with mistakes. */
  prices: Type.Array(PriceCell),
});
export type CataloguePrices = Type.Static<typeof CataloguePrices>;

/**
 * `POST operator/catalogue/apply`: 409 when another version came between, 400 with `errors` for
 * mistakes.
 */
export const CatalogueApplyBody = Type.Object({
  source,
  expectedVersion: Type.Integer({ minimum: 0 }),
  note: Type.Optional(Type.String({ maxLength: 500 })),
  /**
   * Confirms that something is sold below its cost; without it that is refused (400, `errors` has
   * code `below_cost` for `allowLoss`).
   */
  allowLoss: Type.Optional(Type.Boolean()),
  /**
   * Confirms that a price changes by half or more, or from nothing; without it that is refused (400,
   * `errors` has code `big_change` for `allowBigChange`).
   */
  allowBigChange: Type.Optional(Type.Boolean()),
});
export type CatalogueApplyBody = Type.Static<typeof CatalogueApplyBody>;

export const CatalogueApplied = Type.Object({
  /** False: this text is in force already. */
  changed: Type.Boolean(),
  version: CatalogueVersion,
  warnings: Type.Array(Mistake),
});
export type CatalogueApplied = Type.Static<typeof CatalogueApplied>;

const DryRunFigures = {
  /** Null: it is not in this catalogue. */
  wouldBe: nullableString({ description: "The revenue under these prices, roubles." }),
  /** Null: not known of any of it. */
  cost: nullableString({
    description: "What the upstreams would take for what has a known cost, roubles.",
  }),
  /** Null where the cost is. */
  margin: nullableString({ description: "Of what has a known cost, roubles." }),
  /** Of `wouldBe`, what has no known cost and so is not in `margin`. */
  unknownCostRevenue: roubles("Revenue without a known cost."),
  belowCost: Type.Boolean({ description: "It would bring less than it costs." }),
};

/**
 * `POST operator/catalogue/dry-run` {source}: what the chat requests of the last 7 days would have
 * been charged under these prices. Approximate.
 */
export const CatalogueDryRun = Type.Object({
  from: moment("Since when."),
  to: moment("Until when."),
  /** Only the newest so many were read; false: all of them. */
  sampled: Type.Boolean(),
  models: Type.Array(
    Type.Object({
      model: Type.String(),
      requests: Type.Integer(),
      charged: roubles("What was charged."),
      ...DryRunFigures,
    }),
  ),
  total: Type.Object({
    requests: Type.Integer(),
    charged: roubles("What was charged."),
    ...DryRunFigures,
  }),
});
export type CatalogueDryRun = Type.Static<typeof CatalogueDryRun>;
