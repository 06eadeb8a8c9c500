/**
 * What `GET /v1/models` and `GET /v1/models/{id}` ask: the catalogue in force, each model with its
 * date.
 */
import type { LiveCatalogue } from "../../catalogue/live-catalogue.ts";
import type { Queryable } from "../../db/database.ts";
import type { KeyRecord } from "../../keys/key-record.ts";
import { findListedModel, listModels, type ListedModel, type ModelLists } from "./list-models.ts";
import { createModelDates } from "./model-dates.ts";

export function createModelLists(db: Queryable, live: Pick<LiveCatalogue, "current">) {
  const datesOf = createModelDates(db);
  return {
    async listModels(key: Pick<KeyRecord, "models" | "groupModels">): Promise<ModelLists> {
      const current = live.current();
      return listModels(current.catalogue, key, await datesOf(current));
    },
    async findModel(
      key: Pick<KeyRecord, "models" | "groupModels">,
      id: string,
    ): Promise<ListedModel | null> {
      const current = live.current();
      return findListedModel(current.catalogue, key, id, await datesOf(current));
    },
  };
}
