/** What a model is for, as visitors look for it: a task is a picture or a film to them. */
import type { PanelModel } from "../../contract/panel/panel-model.ts";

/** In the order in which they are shown. */
const MODEL_KINDS = [
  "chat",
  "image",
  "video",
  "speech",
  "transcription",
  "embedding",
  "rerank",
  "moderation",
  "completion",
] as const;
export type ModelKind = (typeof MODEL_KINDS)[number];

export function kindOf({ type, form }: Pick<PanelModel, "type" | "form">): ModelKind {
  return type === "task" ? (form?.makes ?? "image") : type;
}

/** Those that there are. */
export function kindsOf(models: readonly PanelModel[]): readonly ModelKind[] {
  const kinds = new Set(models.map(kindOf));
  return MODEL_KINDS.filter((kind) => kinds.has(kind));
}
