/** Embeddings: every input is held for by its own size, and charged by the upstream's count. */
import { EmbeddingsRequestBody } from "../../contract/embeddings.ts";
import type { TokenUsage } from "../../kernel/token-usage.ts";
import { promptTokensOf } from "../../kernel/token-usage.ts";
import { ABSENT_USAGE } from "../usage-reading.ts";
import type { JsonCallProtocol } from "./call-protocol.ts";
import { createCallReader, withModel } from "./read-call-object.ts";
import { readInputUsage, readJsonAnswer, withMembers } from "./read-json-answer.ts";
import { boundedTokens, readTextInput } from "./text-input.ts";

/** As OpenAI takes at once. */
const MOST_INPUTS = 2048;

const readObject = createCallReader(EmbeddingsRequestBody, ["input"]);

export const embeddings: JsonCallProtocol = {
  endpoint: "embeddings",
  path: "/embeddings",
  streaming: null,

  read(body) {
    const object = readObject(body);
    const input = readTextInput(object.value["input"], "input", MOST_INPUTS);
    return {
      model: String(object.value["model"]),
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
      unbounded: null,
      identity: body,
      write: (model) => withModel(object, model),
    };
  },

  readAnswer({ body }, _asked, hide) {
    const answer = readJsonAnswer(
      body,
      { list: "data", names: ["usage"], expected: "list of embeddings" },
      hide,
    );
    if (answer.kind !== "answer") return answer;
    return {
      kind: "answer",
      usage: readInputUsage(answer.member("usage")),
      text: "",
      finishReason: null,
    };
  },

  writeAnswer({ contentType, body }, { answerModel, usage }) {
    return {
      contentType,
      body: withMembers(body, { ...named(answerModel), ...shown(body, usage) }),
    };
  },
};

function named(answerModel: string | null): Readonly<Record<string, string>> {
  return answerModel === null ? {} : { model: JSON.stringify(answerModel) };
}

/** Clients read it: where the upstream reported none, or one that is not charged, the charge is shown. */
function shown(body: Buffer, usage: TokenUsage): Readonly<Record<string, string>> {
  const tokens = promptTokensOf(usage);
  const answer = readJsonAnswer(
    body,
    { list: "data", names: ["usage"], expected: "list of embeddings" },
    (text) => text,
  );
  const reported = answer.kind === "answer" ? readInputUsage(answer.member("usage")) : ABSENT_USAGE;
  if (reported.kind === "valid" && (tokens === 0 || promptTokensOf(reported.usage) === tokens))
    return {};
  return { usage: JSON.stringify({ prompt_tokens: tokens, total_tokens: tokens }) };
}
