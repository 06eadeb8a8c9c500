/** A catalogue for tests of the panel that call no model. */

export const PANEL_CATALOGUE = `
upstreams:
  nobody: { protocol: openai, baseUrl: "http://127.0.0.1:1/v1", apiKeyEnv: NOBODY_KEY }
models:
  quiet:
    { type: chat, endpoints: [chat.completions], contextTokens: 1000, maxOutputTokens: 100,
      price: { input: "1", output: "1" }, routes: [{ upstream: nobody, model: quiet }] }
`;
