/** A batch from its file to its results, in the forms of both vendors. */
import { formCurl, jsonCurl, plainCurl } from "./clients/curl.ts";
import type { GuideSample } from "./guide-place.ts";
import { markup, type Markup } from "./markup.ts";
import type { Site } from "./site-place.ts";

type BatchSample = Extract<GuideSample, "batchFile" | "batch" | "messageBatch">;

const CHAT = "/v1/chat/completions";
const MAX_TOKENS = 100;

/** None where no chat model is sold. */
export function batchSamples(shown: BatchSample, { origin, list, t }: Site): readonly Markup[] {
  const endpoint = shown === "messageBatch" ? "messages" : "chat.completions";
  const model = list.data.find(({ endpoints }) => endpoints.includes(endpoint))?.id;
  if (model === undefined) return [];
  const asked = {
    model,
    max_tokens: MAX_TOKENS,
    messages: [{ role: "user", content: t.says.hello }],
  };
  switch (shown) {
    case "batchFile": {
      const line = { custom_id: "1", method: "POST", url: CHAT, body: asked };
      return [
        markup`cat > requests.jsonl <<'END'
${JSON.stringify(line)}
END`,
        formCurl(origin, "/v1/files", { purpose: "batch", file: "@requests.jsonl" }),
      ];
    }
    case "batch":
      return [
        jsonCurl(origin, "/v1/batches", {
          input_file_id: "$FILE_ID",
          endpoint: CHAT,
          completion_window: "24h",
        }),
        plainCurl(origin, "/v1/batches/$BATCH_ID"),
        plainCurl(origin, "/v1/files/$OUTPUT_FILE_ID/content"),
      ];
    case "messageBatch":
      return [
        jsonCurl(origin, "/v1/messages/batches", {
          requests: [{ custom_id: "1", params: asked }],
        }),
        plainCurl(origin, "/v1/messages/batches/$MESSAGE_BATCH_ID"),
      ];
  }
}
