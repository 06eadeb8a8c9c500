/**
 * The catalogue of the measured gateway: models by the names of the upstream's scripts, all at the
 * scripted upstream.
 */

/** Models that the measures ask for; the upstream reads in the name what it is to answer. */
export const MODELS = {
  whole: "whole-0",
  delayed: "whole-20",
  stream: "stream-200-10",
  shortStream: "stream-20-10-20",
  silent: "silent",
} as const;

/** YAML. Timeouts are longer than any measure: idle streams are silent for minutes. */
export function tollgateCatalogue(upstreamPort: number): string {
  const models = Object.values(MODELS).map(
    (name) => `
  ${name}:
    type: chat
    endpoints: [chat.completions, messages]
    contextTokens: 1000000
    maxOutputTokens: 8000
    price: { input: "150", cachedInput: "15", output: "600" }
    routes: [ { upstream: scripted, model: ${name} } ]`,
  );
  return `
upstreams:
  scripted:
    protocol: openai
    baseUrl: "http://127.0.0.1:${upstreamPort}/v1"
    apiKeyEnv: BENCH_UPSTREAM_KEY
    maxConcurrent: 20000
    timeoutsMs: { connect: 5000, firstByte: 600000, idle: 600000 }
models:${models.join("")}
`;
}
