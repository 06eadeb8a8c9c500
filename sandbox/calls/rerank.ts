/** Documents ranked by how many words of the query they have. */
import { countTokens } from "../count-tokens.ts";
import { isObject } from "../is-object.ts";
import { bad, type Call } from "./call.ts";
import { reportInput } from "./report-input.ts";

export const rerank: Call = {
  path: /^\/v1\/rerank\/?$/,
  read(body) {
    if (typeof body.model !== "string" || body.model === "")
      return bad("model", "model is required");
    if (typeof body.query !== "string" || body.query === "")
      return bad("query", "query must be a string");
    const texts = Array.isArray(body.documents) ? body.documents.map(textOf) : [];
    if (texts.length === 0 || texts.some((text) => text === null))
      return bad("documents", "documents must be a list of texts");
    const { model, query } = body;
    const documents = texts.map((text) => text ?? "");
    const most = typeof body.top_n === "number" ? body.top_n : documents.length;
    return {
      ok: true,
      call: {
        model,
        stream: false,
        text: query,
        answer(directives) {
          const ranked = documents
            .map((text, index) => ({ index, relevance_score: scoreOf(query, text), text }))
            .toSorted((a, b) => b.relevance_score - a.relevance_score || a.index - b.index)
            .slice(0, most);
          const tokens = documents.reduce((sum, text) => sum + countTokens(text), 0);
          const usage = reportInput(tokens + countTokens(query), directives);
          return {
            whole: {
              model,
              object: "list",
              results: ranked.map(({ text, ...result }) =>
                body.return_documents === true ? { ...result, document: { text } } : result,
              ),
              ...(usage === null ? {} : { usage }),
            },
          };
        },
      },
    };
  },
};

function textOf(document: unknown): string | null {
  if (typeof document === "string") return document;
  return isObject(document) && typeof document.text === "string" ? document.text : null;
}

function scoreOf(query: string, text: string): number {
  const words = wordsOf(query);
  const own = new Set(wordsOf(text));
  return words.length === 0 ? 0 : words.filter((word) => own.has(word)).length / words.length;
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\d]+/gu) ?? [];
}
