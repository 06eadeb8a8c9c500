/**
 * The catalogue of the money tests: a fixed price, prices by the token, an upstream that is read to
 * its end, and a route that fails first.
 */

/** Roubles for one `fixed` request, whatever is said. */
export const FIXED_ROUBLES = 1n;
/** Of every other model, for one token. */
export const INPUT_TOKEN_NANO = 100_000n;
export const OUTPUT_TOKEN_NANO = 1_000_000n;

const BY_TOKEN = `price: { input: "100", output: "1000" }, contextTokens: 100000, maxOutputTokens: 32000`;

/** @param upstreamUrl scheme, host and port */
export function moneyCatalogue(upstreamUrl: string): string {
  const upstream = (policy: string): string =>
    `{ protocol: openai, baseUrl: "${upstreamUrl}/v1", apiKeyEnv: SCRIPTED_API_KEY, maxConcurrent: 1000, onDisconnect: ${policy} }`;
  return `
upstreams:
  scripted: ${upstream("abort")}
  patient: ${upstream("drain")}
models:
  fixed:
    { type: chat, endpoints: [chat.completions], contextTokens: 100000, maxOutputTokens: 32000,
      price: { input: "0", output: "0", request: "${FIXED_ROUBLES}" }, routes: [{ upstream: scripted, model: fixed }] }
  talk: { type: chat, endpoints: [chat.completions], ${BY_TOKEN}, routes: [{ upstream: scripted, model: talk }] }
  drained: { type: chat, endpoints: [chat.completions], ${BY_TOKEN}, routes: [{ upstream: patient, model: talk }] }
  second-route:
    { type: chat, endpoints: [chat.completions], ${BY_TOKEN},
      routes: [{ upstream: scripted, model: broken, order: 1 }, { upstream: scripted, model: talk, order: 2 }] }
`;
}
