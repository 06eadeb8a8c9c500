/** Which task model an id of an image request means, and what OpenAI's fields are called in its table. */
import type { Catalogue } from "../../catalogue/catalogue.ts";
import { IMAGE_MAPS, type ImageEndpoint, type ImageMap } from "../../contract/tasks/image-maps.ts";
import type { TaskTable, TaskTableId } from "../../contract/tasks/task-table.ts";
import { TASK_TABLES } from "../../contract/tasks/task-tables.ts";
import { Fault } from "../../kernel/faults.ts";

export interface ImageModel {
  readonly table: TaskTable;
  readonly map: ImageMap;
}

/**
 * Null: it is no task model, or there is none. Faults: `wrong_endpoint` for a task model that is
 * not served there.
 */
export function findImageModel(
  catalogue: Catalogue,
  id: string,
  endpoint: ImageEndpoint,
): ImageModel | null {
  const model = catalogue.models.get(id);
  if (model?.type !== "task") return null;
  const tableId = model.parameters as TaskTableId;
  const [table, map] = [TASK_TABLES.get(tableId), IMAGE_MAPS[tableId]];
  if (table === undefined || map === undefined)
    throw wrongEndpoint(id, `makes no images. Order it as a task: POST /v1/tasks/${id}.`);
  if (endpoint === "images.generations" && map.needsImages)
    throw wrongEndpoint(id, "works on images. Send them to POST /v1/images/edits.");
  return { table, map };
}

function wrongEndpoint(model: string, what: string): Fault {
  return new Fault("wrong_endpoint", {
    message: `The model "${model}" ${what}`,
    param: "model",
    params: { model },
  });
}
