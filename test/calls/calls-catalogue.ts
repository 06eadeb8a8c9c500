/** One model of each kind of call, in each form of its price, at upstreams that a test scripts. */

/** Roubles for 1M tokens, so nano-roubles for one are these × 1,000. */
export const EMBEDDING_PRICE = 20;
export const COMPLETION_PRICE = { input: 100, output: 200 };
export const MODERATION_PRICE = 5;
/** Nano-roubles. */
export const RERANK_DOCUMENT_NANO = 15_000_000n;
export const RERANK_REQUEST_NANO = 40_000_000n;
export const MODERATION_REQUEST_NANO = 10_000_000n;

/** The upstream's own names are `up-…`. */
export function callsCatalogue(upstreamUrl: string): string {
  const upstream = (rest = ""): string =>
    `{ protocol: openai, baseUrl: "${upstreamUrl}/v1", apiKeyEnv: UPSTREAM_KEY, maxConcurrent: 1000${rest} }`;
  const model = (type: string, price: string, routes: string, rest = ""): string =>
    `{ type: ${type}, price: ${price}, routes: [ ${routes} ]${rest} }`;
  const route = (name: string, rest = "", at = "near"): string =>
    `{ upstream: ${at}, model: ${name}${rest} }`;
  return `
upstreams:
  near: ${upstream()}
  patient: ${upstream(", onDisconnect: drain")}
  dead: { protocol: openai, baseUrl: "http://127.0.0.1:9/v1", apiKeyEnv: UPSTREAM_KEY }
models:
  embed: ${model("embedding", `{ input: "${EMBEDDING_PRICE}" }`, route("up-embed", ', cost: { input: "8" }'))}
  embed-short: ${model("embedding", `{ input: "${EMBEDDING_PRICE}" }`, route("up-embed"), ", contextTokens: 100")}
  embed-patient: ${model("embedding", `{ input: "${EMBEDDING_PRICE}" }`, route("up-embed", "", "patient"))}
  embed-backed: ${model("embedding", `{ input: "${EMBEDDING_PRICE}" }`, `${route("up-first", ", order: 1")}, ${route("up-embed", ", order: 2")}`)}
  embed-orphaned: ${model("embedding", `{ input: "${EMBEDDING_PRICE}" }`, `${route("up-first", ", order: 1", "dead")}, ${route("up-embed", ", order: 2")}`)}
  rank: ${model("rerank", '{ documents1000: "15" }', route("up-rank"))}
  rank-each: ${model("rerank", '{ request: "0.04" }', route("up-rank", ', cost: { documents1000: "3" }'))}
  judge: ${model("moderation", '{ request: "0.01" }', route("up-judge"))}
  judge-tokens: ${model("moderation", `{ input: "${MODERATION_PRICE}" }`, route("up-judge"))}
  complete: ${model("completion", `{ input: "${COMPLETION_PRICE.input}", output: "${COMPLETION_PRICE.output}" }`, route("up-complete"), ", contextTokens: 16000")}
  complete-patient: ${model("completion", `{ input: "${COMPLETION_PRICE.input}", output: "${COMPLETION_PRICE.output}" }`, route("up-complete", "", "patient"), ", contextTokens: 16000")}
  complete-each: ${model("completion", '{ request: "0.5" }', route("up-complete"), ", contextTokens: 16000")}
  talk: { type: chat, endpoints: [chat.completions], contextTokens: 20000, maxOutputTokens: 8000, price: { input: "150", output: "600" }, routes: [ ${route("up-talk")} ] }
`;
}

/** What an upstream of `POST /v1/completions` says first in a stream, with ` one` in it. */
export const COMPLETION_PIECE = `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, text: " one", finish_reason: null }] })}\n\n`;

/** What an upstream answers to `POST /v1/embeddings`. */
export function embeddingAnswer(inputs: number, tokens: number | null, model = "up-embed"): object {
  return {
    object: "list",
    data: Array.from({ length: inputs }, (_, index) => ({
      object: "embedding",
      index,
      embedding: [0.5, -0.25, index],
    })),
    model,
    ...(tokens === null ? {} : { usage: { prompt_tokens: tokens, total_tokens: tokens } }),
  };
}
