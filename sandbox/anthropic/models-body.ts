/** The models in the anthropic shape. */

export function modelBody(id: string): unknown {
  return {
    type: "model",
    id,
    display_name: id,
    created_at: "2026-01-01T00:00:00Z",
    max_input_tokens: 200_000,
    max_tokens: 128_000,
  };
}

export function modelsBody(ids: readonly string[]): unknown {
  return {
    data: ids.map(modelBody),
    has_more: false,
    first_id: ids[0] ?? null,
    last_id: ids.at(-1) ?? null,
  };
}
