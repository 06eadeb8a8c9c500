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

/** The model of the measured gateway that is the same, but behind an upstream of Responses. */
export function overResponses(model: string): string {
  return `${model}-over-responses`;
}

const UPSTREAMS = { scripted: "openai", native: "responses" } as const;
type UpstreamName = keyof typeof UPSTREAMS;

/**
 * YAML. Timeouts are longer than any measure: idle streams are silent for minutes. `speaksResponses`:
 * the gateway knows that protocol; editions before it refuse a catalogue with it.
 */
export function tollgateCatalogue(upstreamPort: number, speaksResponses: boolean): string {
  const upstreams: readonly UpstreamName[] = speaksResponses
    ? ["scripted", "native"]
    : ["scripted"];
  const written = upstreams.map(
    (name) => `
  ${name}:
    protocol: ${UPSTREAMS[name]}
    baseUrl: "http://127.0.0.1:${upstreamPort}/v1"
    apiKeyEnv: BENCH_UPSTREAM_KEY
    maxConcurrent: 20000
    timeoutsMs: { connect: 5000, firstByte: 600000, idle: 600000 }`,
  );
  const models = upstreams.flatMap((upstream) =>
    Object.values(MODELS).map(
      (name) => `
  ${upstream === "native" ? overResponses(name) : name}:
    type: chat
    endpoints: [chat.completions, messages]
    contextTokens: 1000000
    maxOutputTokens: 8000
    price: { input: "150", cachedInput: "15", output: "600" }
    routes: [ { upstream: ${upstream}, model: ${name} } ]`,
    ),
  );
  return `
upstreams:${written.join("")}
models:${models.join("")}
`;
}
