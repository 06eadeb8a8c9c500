/** A request to one model, whatever it is for. */
import type { PanelModel, PanelTaskForm } from "../../contract/panel/panel-model.ts";
import { listMedia, replaceMedia } from "../../contract/tasks/list-media.ts";
import type { TaskTableId } from "../../contract/tasks/task-table.ts";
import { TASK_TABLES } from "../../contract/tasks/task-tables.ts";
import { chatCurl } from "./clients/client-samples.ts";
import { formCurl, jsonCurl } from "./clients/curl.ts";
import { markup, type Markup } from "./markup.ts";
import type { Site } from "./site-place.ts";

/** Where a task of the model is ordered. */
export function taskPath(model: string): string {
  return `/v1/tasks/${model.split("/").map(encodeURIComponent).join("/")}`;
}

/** Whose shortest order needs no file. */
export function takesNoFile({ fields }: PanelTaskForm): boolean {
  return fields.every(({ kind, required }) => !required || (kind !== "url" && kind !== "urls"));
}

/** The shortest order, with a variable in the place of each file: its address is known when it is there. */
function taskOrder({ form }: PanelModel): object {
  const minimal = form?.examples.minimal ?? {};
  const declared = form === null ? undefined : TASK_TABLES.get(form.table as TaskTableId);
  if (declared === undefined) return minimal;
  const media = listMedia(declared, minimal).map(({ path, media: { kind } }) => ({
    path,
    url: `$${kind.toUpperCase()}_URL`,
  }));
  return replaceMedia(minimal, media);
}

export function modelSample({ origin, t }: Pick<Site, "origin" | "t">, model: PanelModel): Markup {
  const { says } = t;
  const { id, type, endpoints } = model;
  if (type === "task") return jsonCurl(origin, taskPath(id), taskOrder(model));
  switch (type) {
    case "chat":
      if (endpoints.includes("chat.completions"))
        return chatCurl({ origin, hello: says.hello }, id);
      if (endpoints.includes("responses"))
        return jsonCurl(origin, "/v1/responses", { model: id, input: says.hello });
      return jsonCurl(origin, "/v1/messages", {
        model: id,
        max_tokens: 1000,
        messages: [{ role: "user", content: says.hello }],
      });
    case "embedding":
      return jsonCurl(origin, "/v1/embeddings", { model: id, input: [says.hello] });
    case "rerank":
      return jsonCurl(origin, "/v1/rerank", {
        model: id,
        query: says.query,
        documents: says.documents,
      });
    case "image":
      return jsonCurl(origin, "/v1/images/generations", {
        model: id,
        prompt: says.picture,
        ...pricedImage(model),
      });
    case "speech":
      return markup`${jsonCurl(origin, "/v1/audio/speech", { model: id, input: says.hello, voice: "alloy" })} \\
  -o hello.mp3`;
    case "transcription":
      return formCurl(origin, "/v1/audio/transcriptions", { model: id, file: "@hello.mp3" });
    case "moderation":
      return jsonCurl(origin, "/v1/moderations", { model: id, input: says.hello });
    case "completion":
      return jsonCurl(origin, "/v1/completions", { model: id, prompt: says.story, max_tokens: 50 });
  }
}

/** The size and quality that the first price is for: others may not be sold. */
export function pricedImage({ price }: PanelModel): Readonly<Record<string, string>> {
  return price.kind === "call" ? (price.rows[0]?.when ?? {}) : {};
}
