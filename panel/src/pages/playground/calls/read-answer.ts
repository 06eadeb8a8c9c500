/** What an upstream answered, read without trusting its shape: what is not there is not shown. */

export type CallAnswer =
  | { readonly kind: "json"; readonly body: unknown }
  | { readonly kind: "text"; readonly text: string }
  /** `url`: of the page's own, as long as the answer is shown. */
  | { readonly kind: "sound"; readonly url: string; readonly type: string; readonly bytes: number };

type Loose = Readonly<Record<string, unknown>>;

function objectOf(value: unknown): Loose {
  return typeof value === "object" && value !== null ? (value as Loose) : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function bodyIn(answer: CallAnswer): Loose {
  return answer.kind === "json" ? objectOf(answer.body) : {};
}

/** By the inputs. */
export function vectorsIn(answer: CallAnswer): readonly (readonly number[])[] {
  const rows = listOf(bodyIn(answer)["data"]).map(objectOf);
  const sorted = rows.toSorted((a, b) => Number(a["index"] ?? 0) - Number(b["index"] ?? 0));
  return sorted.map((row) => listOf(row["embedding"]).map(Number));
}

/** The best first. */
export function rankingIn(
  answer: CallAnswer,
): readonly { readonly index: number; readonly score: number }[] {
  return listOf(bodyIn(answer)["results"])
    .map(objectOf)
    .map((row) => ({ index: Number(row["index"]), score: Number(row["relevance_score"]) }))
    .filter(({ index, score }) => Number.isInteger(index) && Number.isFinite(score));
}

export interface Judgement {
  readonly flagged: boolean;
  /** The likeliest first; `score`: null where the upstream gives none. */
  readonly categories: readonly {
    readonly name: string;
    readonly flagged: boolean;
    readonly score: number | null;
  }[];
}

/** One for each input. */
export function judgementsIn(answer: CallAnswer): readonly Judgement[] {
  return listOf(bodyIn(answer)["results"])
    .map(objectOf)
    .map((row) => {
      const scores = objectOf(row["category_scores"]);
      const categories = Object.entries(objectOf(row["categories"])).map(([name, flagged]) => ({
        name,
        flagged: flagged === true,
        score: typeof scores[name] === "number" ? scores[name] : null,
      }));
      const byScore = categories.toSorted((a, b) => (b.score ?? 0) - (a.score ?? 0));
      return { flagged: row["flagged"] === true, categories: byScore };
    });
}

/** Addresses that a page can show. */
export function imagesIn(answer: CallAnswer): readonly string[] {
  const body = bodyIn(answer);
  const format = textOf(body["output_format"]) || "png";
  return listOf(body["data"])
    .map(objectOf)
    .map(({ url, b64_json: bytes }) => {
      if (typeof url === "string") return url;
      return typeof bytes === "string" ? `data:image/${format};base64,${bytes}` : "";
    })
    .filter((url) => url !== "");
}

export function transcriptIn(answer: CallAnswer): string {
  return answer.kind === "text" ? answer.text : textOf(bodyIn(answer)["text"]);
}

/** What goes on after the prompt. */
export function completionsIn(answer: CallAnswer): readonly string[] {
  return listOf(bodyIn(answer)["choices"]).map((choice) => textOf(objectOf(choice)["text"]));
}

/** From −1 to 1: how much two texts have in common; null where their vectors are of two kinds. */
export function cosineOf(a: readonly number[], b: readonly number[]): number | null {
  const length = Math.hypot(...a) * Math.hypot(...b);
  if (a.length !== b.length || !(length > 0)) return null;
  return a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0) / length;
}
