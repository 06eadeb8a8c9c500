/** The models in the openai shape. */

export function modelBody(id: string): unknown {
  return { id, object: "model", created: 1_767_225_600, owned_by: "sandbox" };
}

export function modelsBody(ids: readonly string[]): unknown {
  return { object: "list", data: ids.map(modelBody) };
}
