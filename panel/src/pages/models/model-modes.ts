/** What a model takes and what it makes, as far as the catalogue and its form tell. Pure. */
import type {
  PanelModel,
  PanelTaskField,
  PanelTaskForm,
} from "../../../../src/contract/panel/panel-model.ts";
import type { RequestKind } from "../../../../src/contract/enums/request-kind.ts";

export const MODES = ["text", "image", "video", "audio", "vectors", "scores"] as const;
export type Mode = (typeof MODES)[number];

export interface Modes {
  readonly takes: readonly Mode[];
  readonly makes: readonly Mode[];
}

const OF_CALLS: Readonly<Record<Exclude<RequestKind, "chat" | "task">, Modes>> = {
  embedding: { takes: ["text"], makes: ["vectors"] },
  rerank: { takes: ["text"], makes: ["scores"] },
  image: { takes: ["text"], makes: ["image"] },
  speech: { takes: ["text"], makes: ["audio"] },
  transcription: { takes: ["audio"], makes: ["text"] },
  moderation: { takes: ["text"], makes: ["scores"] },
  completion: { takes: ["text"], makes: ["text"] },
};

export function modesOf({ type, price, form }: PanelModel): Modes {
  if (type === "task")
    return form === null ? { takes: [], makes: [] } : { takes: takenBy(form), makes: [form.makes] };
  if (type !== "chat") return OF_CALLS[type];
  if (price.kind !== "chat") return { takes: ["text"], makes: ["text"] };
  // Nothing but a price of their own tells that it takes or makes others.
  const priced = (mode: Mode, ...amounts: readonly (string | undefined)[]): readonly Mode[] =>
    amounts.some((amount) => amount !== undefined && amount !== "0") ? [mode] : [];
  return {
    takes: [
      "text",
      ...priced("image", price.imageInput, price.image),
      ...priced("audio", price.audioInput),
    ],
    makes: ["text", ...priced("image", price.imageOutput), ...priced("audio", price.audioOutput)],
  };
}

function takenBy({ fields }: PanelTaskForm): readonly Mode[] {
  const all: readonly Pick<PanelTaskField, "name" | "kind" | "media" | "mediaAlone">[] =
    fields.flatMap((field) => [field, ...(field.fields ?? [])]);
  const taken = new Set<Mode>(all.some(({ name }) => name === "prompt") ? ["text"] : []);
  for (const { media, mediaAlone } of all) {
    for (const one of [media, mediaAlone]) {
      if (one === undefined) continue;
      taken.add(one.kind);
      if (one.orVideo !== undefined) taken.add("video");
    }
  }
  return MODES.filter((mode) => taken.has(mode));
}
