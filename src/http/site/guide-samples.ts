/** The code of the guides: requests to models that this installation sells, as they can be run. */
import type { PanelModel } from "../../contract/panel/panel-model.ts";
import { batchSamples } from "./batch-samples.ts";
import { chatSample } from "./chat-samples.ts";
import { chatCurl, clientSamples } from "./clients/client-samples.ts";
import { formCurl, jsonCurl, plainCurl } from "./clients/curl.ts";
import { VERIFY_SAMPLES } from "./clients/verify-samples.ts";
import type { GuideSample } from "./guide-place.ts";
import { markup, type Markup } from "./markup.ts";
import { modelSample, pricedImage, takesNoFile, taskPath } from "./model-sample.ts";
import { clientList, sample } from "./page-parts.ts";
import type { Site } from "./site-place.ts";

/** Nothing where no model is sold that could be asked so. */
export function guideSample(shown: GuideSample, site: Site): Markup | readonly Markup[] | null {
  const { origin, list, t } = site;
  const { hello } = t.says;
  const blocks = (...codes: readonly Markup[]): readonly Markup[] =>
    codes.map((code) => sample(code, t));
  const ofType = (type: PanelModel["type"]): readonly Markup[] => {
    const model = list.data.find((one) => one.type === type);
    return model === undefined ? [] : blocks(modelSample(site, model));
  };
  switch (shown) {
    case "clients": {
      const samples = clientSamples({ origin, models: list.data, hello });
      // The section before shows what curl sends.
      return clientList(
        samples.filter(({ client }) => client !== "curl"),
        t,
      );
    }
    case "models":
      return blocks(plainCurl(origin, "/v1/models"));
    case "receipts":
      return blocks(plainCurl(origin, "/v1/balance"), plainCurl(origin, "/v1/requests?limit=1"));
    case "limits":
      return blocks(plainCurl(origin, "/v1/key"));
    case "chat":
    case "quote": {
      const model = list.data.find(({ endpoints }) => endpoints.includes("chat.completions"))?.id;
      if (model === undefined) return null;
      return shown === "chat"
        ? blocks(chatCurl({ origin, hello }, model))
        : blocks(
            chatCurl({ origin, hello }, model, `"max_tokens":1000,`, "/v1/quote/chat/completions"),
          );
    }
    case "image":
    case "imageEdit":
      return blocks(...imageSamples(shown, site));
    case "speech":
    case "transcription":
    case "embedding":
    case "rerank":
    case "moderation":
    case "completion":
      return ofType(shown);
    case "task":
    case "taskQuote":
    case "callback":
      return blocks(...taskSamples(shown, site));
    case "taskWait":
      return blocks(plainCurl(origin, "/v1/tasks/$TASK_ID?wait=60"));
    case "taskEvents":
      return blocks(plainCurl(origin, "/v1/tasks/$TASK_ID/events"));
    case "taskCancel":
      return blocks(plainCurl(origin, "/v1/tasks/$TASK_ID/cancel", "POST"));
    case "deliveries":
      return blocks(plainCurl(origin, "/v1/tasks/$TASK_ID/deliveries"));
    case "batchFile":
    case "batch":
    case "messageBatch":
      return blocks(...batchSamples(shown, site));
    case "upload":
      return blocks(formCurl(origin, "/v1/storage/upload", { file: "@photo.png" }));
    case "download":
      return blocks(markup`curl "$FILE_URL" -o copy.png`);
    case "fileList":
      return blocks(
        plainCurl(origin, "/v1/storage/files?limit=10"),
        plainCurl(origin, "/v1/storage/files/$FILE_NAME", "DELETE"),
      );
    case "verify":
      return clientList(
        VERIFY_SAMPLES.map(({ client, code }) => ({ client, code: markup`${code}` })),
        t,
      );
    default:
      return blocks(...chatSample(shown, site));
  }
}

function taskSamples(
  shown: "task" | "taskQuote" | "callback",
  { origin, list }: Site,
): readonly Markup[] {
  for (const { id, form } of list.data) {
    if (form === null || !takesNoFile(form)) continue;
    const body = form.examples.minimal;
    const path = taskPath(id);
    if (shown === "taskQuote") return [jsonCurl(origin, path.replace("/v1/", "/v1/quote/"), body)];
    return [
      jsonCurl(origin, path, body, shown === "task" ? [] : ["x-callback-url: $CALLBACK_URL"]),
    ];
  }
  return [];
}

function imageSamples(shown: "image" | "imageEdit", site: Site): readonly Markup[] {
  const { origin, list, t } = site;
  const { picture } = t.says;
  const model = list.data.find(({ type }) => type === "image");
  if (model !== undefined && shown === "image") return [modelSample(site, model)];
  if (model !== undefined) {
    const { id } = model;
    const fields = { model: id, prompt: picture, ...pricedImage(model), image: "@photo.png" };
    return [formCurl(origin, "/v1/images/edits", fields)];
  }
  const task = list.data.find(({ form }) => form?.makes === "image" && takesNoFile(form));
  if (task === undefined || shown === "imageEdit") return [];
  const body = { model: task.id, prompt: picture, response_format: "url" };
  return [jsonCurl(origin, "/v1/images/generations", body)];
}
