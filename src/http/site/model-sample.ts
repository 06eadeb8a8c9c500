/** A request to one model, whatever it is for. */
import type { PanelModel } from "../../contract/panel/panel-model.ts";
import { chatCurl, inShell } from "./clients/client-samples.ts";
import { markup, type Markup } from "./markup.ts";
import { KEY } from "./page-parts.ts";
import type { Site } from "./site-place.ts";

export function modelSample({ origin, t }: Pick<Site, "origin" | "t">, model: PanelModel): Markup {
  const { says } = t;
  const { id, type, endpoints, form } = model;
  if (type === "task") {
    const path = `/v1/tasks/${id.split("/").map(encodeURIComponent).join("/")}`;
    return json(origin, path, form?.examples.minimal ?? {});
  }
  switch (type) {
    case "chat":
      if (endpoints.includes("chat.completions"))
        return chatCurl({ origin, hello: says.hello }, id);
      if (endpoints.includes("responses"))
        return json(origin, "/v1/responses", { model: id, input: says.hello });
      return json(origin, "/v1/messages", {
        model: id,
        max_tokens: 1000,
        messages: [{ role: "user", content: says.hello }],
      });
    case "embedding":
      return json(origin, "/v1/embeddings", { model: id, input: [says.hello] });
    case "rerank":
      return json(origin, "/v1/rerank", {
        model: id,
        query: says.query,
        documents: says.documents,
      });
    case "image":
      return json(origin, "/v1/images/generations", {
        model: id,
        prompt: says.picture,
        ...pricedImage(model),
      });
    case "speech":
      return markup`${json(origin, "/v1/audio/speech", { model: id, input: says.hello, voice: "alloy" })} \\
  -o hello.mp3`;
    case "transcription":
      return markup`curl ${origin}/v1/audio/transcriptions \\
  -H "Authorization: Bearer ${KEY}" \\
  -F 'model=${inShell(id)}' -F file=@hello.mp3`;
    case "moderation":
      return json(origin, "/v1/moderations", { model: id, input: says.hello });
    case "completion":
      return json(origin, "/v1/completions", { model: id, prompt: says.story, max_tokens: 50 });
  }
}

/** The size and quality that the first price is for: others may not be sold. */
function pricedImage({ price }: PanelModel): Readonly<Record<string, string>> {
  return price.kind === "call" ? (price.rows[0]?.when ?? {}) : {};
}

function json(origin: string, path: string, body: object): Markup {
  return markup`curl ${origin}${path} \\
  -H "Authorization: Bearer ${KEY}" \\
  -H "Content-Type: application/json" \\
  -d '${inShell(JSON.stringify(body))}'`;
}
