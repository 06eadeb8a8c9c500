/** The catalogue in the panel: what is in force, its history, a new one checked and put in force. Credentials are names only. */
import Type from "typebox";
import { moment, roubles } from "../money.ts";
import { nullableInteger, nullableString } from "../nullable.ts";

const source = Type.String({ minLength: 1, maxLength: 900_000, description: "YAML, as it is written." });

const Mistake = Type.Object({
  path: Type.String({ description: "Such as models.a.price.input; empty: the whole file." }),
  line: nullableInteger({}, { description: "From 1; null: none." }),
  message: Type.String(),
});

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

export const CatalogueVersionList = Type.Object({ data: Type.Array(CatalogueVersion), nextCursor: nullableString({ description: "" }) });
export type CatalogueVersionList = Type.Static<typeof CatalogueVersionList>;

/** `GET operator/catalogue` (the one in force) and `GET operator/catalogue/versions/{version}`. */
export const CatalogueSource = Type.Object({ ...CatalogueVersion.properties, source });
export type CatalogueSource = Type.Static<typeof CatalogueSource>;

export const CatalogueChanges = Type.Object({
  modelsAdded: Type.Array(Type.String()),
  modelsRemoved: Type.Array(Type.String()),
  pricesChanged: Type.Array(Type.Object({ model: Type.String(), field: Type.String(), before: Type.String(), after: Type.String() })),
  /** What every route is called by: `upstream/model`. */
  routesAdded: Type.Array(Type.Object({ model: Type.String(), route: Type.String() })),
  routesRemoved: Type.Array(Type.Object({ model: Type.String(), route: Type.String() })),
  /** In something else than their price. */
  modelsChanged: Type.Array(Type.String()),
  upstreamsAdded: Type.Array(Type.String()),
  upstreamsRemoved: Type.Array(Type.String()),
  upstreamsChanged: Type.Array(Type.String()),
  familiesChanged: Type.Boolean(),
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
});
export type CatalogueCheck = Type.Static<typeof CatalogueCheck>;

/** `POST operator/catalogue/apply`: 409 when another version came between, 400 with `errors` for mistakes. */
export const CatalogueApplyBody = Type.Object({
  source,
  expectedVersion: Type.Integer({ minimum: 0 }),
  note: Type.Optional(Type.String({ maxLength: 500 })),
});
export type CatalogueApplyBody = Type.Static<typeof CatalogueApplyBody>;

export const CatalogueApplied = Type.Object({
  /** False: this text is in force already. */
  changed: Type.Boolean(),
  version: CatalogueVersion,
  warnings: Type.Array(Mistake),
});
export type CatalogueApplied = Type.Static<typeof CatalogueApplied>;

/** `POST operator/catalogue/dry-run` {source}: what the chat requests of the last 7 days would have been charged under these prices. Approximate. */
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
      /** Null: it is not in this catalogue. */
      wouldBe: nullableString({ description: "Roubles." }),
    }),
  ),
});
export type CatalogueDryRun = Type.Static<typeof CatalogueDryRun>;
