/** Judges texts by a few words. */
import { isObject } from "../is-object.ts";
import { bad, type Call } from "./call.ts";
import { readTexts } from "./text-inputs.ts";

/** What is found in a text, by category. */
const WORDS: Readonly<Record<string, RegExp>> = {
  violence: /\b(kill|murder)\b|убить|убийство/iu,
  hate: /\bhate\b|ненависть/iu,
};

export const moderations: Call = {
  path: /^\/v1\/moderations\/?$/,
  read(body) {
    const { input, model = "judge-small" } = body;
    if (typeof model !== "string") return bad("model", "model must be a string");
    const isParts = Array.isArray(input) && input.some(isObject);
    const read = readTexts(isParts ? [textsOf(input).join("\n") || "-"] : input);
    if (read === null) return bad("input", "input must be a text or a list of texts");
    return {
      ok: true,
      call: {
        model,
        stream: false,
        text: read.text,
        answer: () => ({
          whole: { id: "modr-sandbox", model, results: read.inputs.map(judge) },
        }),
      },
    };
  },
};

function textsOf(parts: readonly unknown[]): string[] {
  return parts.flatMap((part) =>
    isObject(part) && typeof part.text === "string" ? [part.text] : [],
  );
}

function judge(text: string): unknown {
  const found = Object.entries(WORDS).map(([name, words]) => [name, words.test(text)] as const);
  return {
    flagged: found.some(([, is]) => is),
    categories: Object.fromEntries(found),
    category_scores: Object.fromEntries(found.map(([name, is]) => [name, is ? 0.9 : 0.01])),
  };
}
