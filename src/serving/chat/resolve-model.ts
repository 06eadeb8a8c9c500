/**
 * Which model of the catalogue serves a request: the one of that very id, else the one that a
 * family id stands for (contract §5).
 */
import type { Catalogue, ChatModel, Model } from "../../catalogue/catalogue.ts";
import { familyModel } from "../../catalogue/family-model.ts";
import type { ChatEndpoint } from "../../contract/enums/chat-endpoint.ts";
import { Fault } from "../../kernel/faults.ts";

export interface ResolvedModel {
  readonly model: ChatModel;
  /**
   * What the answer calls the model: the id that it was sold by; null where the catalogue lets the
   * upstream's own word pass.
   */
  readonly answerModel: string | null;
}

/**
 * Ids are case-sensitive. Throws Fault: `model_not_found`, or `wrong_endpoint` for a model that
 * this endpoint does not serve.
 */
export function resolveChatModel(
  catalogue: Pick<Catalogue, "families" | "models">,
  id: string,
  endpoint: ChatEndpoint,
): ResolvedModel {
  const { mapped, model } = findModel(catalogue, id);
  if (model.type !== "chat" || !model.endpoints.includes(endpoint)) throw wrongEndpoint(id, mapped);
  return { model, answerModel: model.answerModel === "upstream" ? null : model.id };
}

/** `mapped`: what a family id stands for; null for an id of the catalogue's own. */
export function findModel(
  catalogue: Pick<Catalogue, "families" | "models">,
  id: string,
): { readonly mapped: string | null; readonly model: Model } {
  const mapped = catalogue.models.has(id) ? null : familyModel(catalogue.families, id);
  const model = catalogue.models.get(mapped ?? id);
  if (model === undefined) {
    throw new Fault("model_not_found", {
      message: `There is no model "${id}". GET /v1/models lists what there is.`,
      param: "model",
      params: { model: id },
    });
  }
  return { mapped, model };
}

export function wrongEndpoint(id: string, mapped: string | null): Fault {
  const standsFor = mapped === null ? "" : `, which stands for "${mapped}",`;
  return new Fault("wrong_endpoint", {
    message: `The model "${id}"${standsFor} is not served at this endpoint; its entry in GET /v1/models names those that are.`,
    param: "model",
    params: { model: id },
  });
}
