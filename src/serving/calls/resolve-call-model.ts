/** Which model of the catalogue serves a call: the one of that id, at the endpoint of its type. */
import type { CallModel, Catalogue, Model } from "../../catalogue/catalogue.ts";
import { CALL_TYPE_OF, type CallEndpoint } from "../../contract/enums/call-endpoint.ts";
import { Fault } from "../../kernel/faults.ts";
import { findModel, wrongEndpoint } from "../chat/resolve-model.ts";

/**
 * Throws Fault: `model_not_found`, or `wrong_endpoint` for a model that this endpoint does not
 * serve. `id` null: the request names none, and the first of the catalogue is meant.
 */
export function resolveCallModel(
  catalogue: Pick<Catalogue, "families" | "models">,
  id: string | null,
  endpoint: CallEndpoint,
): CallModel {
  const type = CALL_TYPE_OF[endpoint];
  const isServed = (model: Model): model is CallModel => model.type === type;
  if (id === null) {
    const first = [...catalogue.models.values()].find(isServed);
    if (first !== undefined) return first;
    throw new Fault("model_not_found", {
      message: "No model does that here. GET /v1/models lists what there is.",
      param: "model",
    });
  }
  const { mapped, model } = findModel(catalogue, id);
  if (!isServed(model)) throw wrongEndpoint(id, mapped);
  return model;
}
