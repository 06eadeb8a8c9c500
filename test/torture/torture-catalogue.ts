/** What the gateways of a run sell, by prices that the auditor counts with in its head. */

const INPUT_TOKEN_NANO = 100_000n;
const OUTPUT_TOKEN_NANO = 1_000_000n;
/** For one request of `fixed`, whatever is said. */
export const FIXED_NANO = 1_000_000_000n;
/** For one picture. */
export const PICTURE_NANO = 2_000_000_000n;
export const PICTURE_MODEL = "picture";

/** The models that cost by the token: through each protocol, read to the end, and with a spare. */
export const TOKEN_MODELS = [
  "talk",
  "talk-messages",
  "talk-responses",
  "drained",
  "spare",
] as const;
export const FIXED_MODEL = "fixed";

/** By the sandbox's own count, or by what an answer says of itself. */
export function priceOf(model: string, promptTokens: number, completionTokens: number): bigint {
  return model === FIXED_MODEL
    ? FIXED_NANO
    : BigInt(promptTokens) * INPUT_TOKEN_NANO + BigInt(completionTokens) * OUTPUT_TOKEN_NANO;
}

export function tortureCatalogue(sandboxUrl: string): string {
  const upstream = (protocol: string, url: string, more = ""): string =>
    `{ protocol: ${protocol}, baseUrl: "${url}", apiKeyEnv: SANDBOX_API_KEY, maxConcurrent: 1000, timeoutsMs: { connect: 2000, firstByte: 4000, idle: 3000 }${more} }`;
  const chat = (
    routes: string,
    price = `{ input: "100", cachedInput: "100", cacheWrite5m: "100", cacheWrite1h: "100", output: "1000" }`,
  ): string =>
    `{ type: chat, endpoints: [chat.completions, messages], contextTokens: 100000, maxOutputTokens: 32000, price: ${price}, routes: [${routes}] }`;
  return `
upstreams:
  chat: ${upstream("openai", `${sandboxUrl}/v1`)}
  messages: ${upstream("anthropic", sandboxUrl)}
  responses: ${upstream("responses", `${sandboxUrl}/v1`)}
  patient: ${upstream("openai", `${sandboxUrl}/v1`, ", onDisconnect: drain")}
  media: ${upstream("kie", sandboxUrl, `, resultHosts: ["${sandboxUrl}"]`)}
models:
  talk: ${chat("{ upstream: chat, model: echo }")}
  talk-messages: ${chat("{ upstream: messages, model: echo }")}
  talk-responses: ${chat("{ upstream: responses, model: echo }")}
  drained: ${chat("{ upstream: patient, model: echo }")}
  spare: ${chat("{ upstream: messages, model: first, order: 1 }, { upstream: responses, model: second, order: 2 }")}
  ${FIXED_MODEL}: ${chat("{ upstream: chat, model: echo }", `{ input: "0", cachedInput: "0", cacheWrite5m: "0", cacheWrite1h: "0", output: "0", request: "1" }`)}
  ${PICTURE_MODEL}:
    { type: task, parameters: T19, deadlineSeconds: 600, price: { unit: image, quantity: 1, amount: "2" },
      routes: [{ upstream: media, model: nano-banana-2 }] }
`;
}
