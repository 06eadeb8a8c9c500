/** Reranking, as Cohere and Jina shaped it: paid for by the request or by the document. */
import { RerankRequestBody } from "../../contract/rerank.ts";
import { Fault } from "../../kernel/faults.ts";
import { ABSENT_USAGE } from "../usage-reading.ts";
import type { JsonCallProtocol } from "./call-protocol.ts";
import { createCallReader, withModel } from "./read-call-object.ts";
import { readJsonAnswer, withMembers } from "./read-json-answer.ts";

/** As many as any of the vendors takes at once. */
const MOST_DOCUMENTS = 10_000;

const readObject = createCallReader(RerankRequestBody, ["query", "documents"]);

export const rerank: JsonCallProtocol = {
  endpoint: "rerank",
  path: "/rerank",
  streaming: null,

  read(body) {
    const object = readObject(body);
    const documents = (object.value["documents"] as readonly unknown[]).length;
    if (documents > MOST_DOCUMENTS)
      throw new Fault("invalid_request", {
        message: `'documents' holds ${documents} documents; at most ${MOST_DOCUMENTS} are taken at once.`,
        param: "documents",
      });
    return {
      model: String(object.value["model"]),
      stream: false,
      includeUsage: false,
      measure: () => ({
        inputTokens: 0,
        mostInputTokens: body.length,
        outputTokens: 0,
        counts: { documents },
      }),
      texts: () => [],
      overheadTokens: 0,
      unbounded: null,
      identity: body,
      write: (model) => withModel(object, model),
    };
  },

  readAnswer({ body }, _asked, hide) {
    const answer = readJsonAnswer(body, { list: "results", names: [], expected: "ranking" }, hide);
    if (answer.kind !== "answer") return answer;
    return { kind: "answer", usage: ABSENT_USAGE, text: "", finishReason: null };
  },

  writeAnswer({ contentType, body }, { answerModel }) {
    const model = answerModel === null ? {} : { model: JSON.stringify(answerModel) };
    return { contentType, body: withMembers(body, model, ["model"]) };
  },
};
