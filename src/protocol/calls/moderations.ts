/** Moderations: paid for by the request, or by the tokens of what is judged. */
import { ModerationsRequestBody } from "../../contract/moderations.ts";
import { Fault } from "../../kernel/faults.ts";
import { isRecord } from "../json/is-record.ts";
import type { AskedCall, JsonCallProtocol } from "./call-protocol.ts";
import { createCallReader, withModel } from "./read-call-object.ts";
import { readInputUsage, readJsonAnswer, withMembers } from "./read-json-answer.ts";
import { boundedTokens, readTextInput } from "./text-input.ts";

const MOST_INPUTS = 2048;

const readObject = createCallReader(ModerationsRequestBody, ["input"]);

export const moderations: JsonCallProtocol = {
  endpoint: "moderations",
  path: "/moderations",
  streaming: null,

  read(body) {
    const object = readObject(body);
    const { model, input: sent } = object.value;
    const { texts, image } = partsOf(sent);
    const input = readTextInput(texts, "input", MOST_INPUTS);
    return {
      model: typeof model === "string" && model !== "" ? model : null,
      stream: false,
      includeUsage: false,
      measure: (window) => ({
        inputTokens: boundedTokens(input, window),
        mostInputTokens: input.mostTokens,
        outputTokens: 0,
        counts: {},
      }),
      texts: () => input.texts,
      overheadTokens: input.tokenIds,
      unbounded: image === null ? null : { param: image, what: "an image" },
      identity: body,
      write: (name) => withModel(object, name),
    };
  },

  readAnswer({ body }, _asked, hide) {
    const answer = readJsonAnswer(
      body,
      { list: "results", names: ["usage"], expected: "moderation" },
      hide,
    );
    if (answer.kind !== "answer") return answer;
    const usage = readInputUsage(answer.member("usage"));
    return { kind: "answer", usage, text: "", finishReason: null };
  },

  writeAnswer({ contentType, body }, { answerModel }) {
    const model = answerModel === null ? {} : { model: JSON.stringify(answerModel) };
    return { contentType, body: withMembers(body, model) };
  },
};

/** `image`: the first part that is one; null: there is none. */
function partsOf(input: unknown): { readonly texts: unknown; readonly image: string | null } {
  if (!Array.isArray(input) || !input.some(isRecord)) return { texts: input, image: null };
  let image: AskedCall["model"] = null;
  const texts = (input as readonly unknown[]).flatMap((part, index) => {
    if (!isRecord(part)) return [part];
    const param = `input[${index}]`;
    if (part["type"] === "text" && typeof part["text"] === "string") return [part["text"]];
    if (part["type"] !== "image_url")
      throw new Fault("invalid_request", {
        message: `'${param}' must be a text, or a part of type text or image_url.`,
        param,
      });
    image ??= param;
    return [];
  });
  return { texts: texts.length === 0 ? "" : texts, image };
}
