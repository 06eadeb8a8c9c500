/** What else a chat can be asked: over each protocol, as a stream, with tools, pictures, a form. */
import { chatCurl } from "./clients/client-samples.ts";
import { jsonCurl } from "./clients/curl.ts";
import type { GuideSample } from "./guide-place.ts";
import type { Markup } from "./markup.ts";
import type { Site } from "./site-place.ts";

type ChatSample = Extract<
  GuideSample,
  | "protocols"
  | "stream"
  | "tools"
  | "reasoning"
  | "caching"
  | "structured"
  | "picture"
  | "goOn"
  | "idempotent"
>;

/** A picture of one point, so that the sample can be run as it stands. */
const POINT =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const CHAT = "/v1/chat/completions";
const MAX_TOKENS = 1000;

/** Of the first model that can be asked so; none where there is none. */
export function chatSample(shown: ChatSample, site: Site): readonly Markup[] {
  const { origin, list, t } = site;
  const { says } = t;
  const served = (endpoint: string): string | undefined =>
    list.data.find(({ endpoints }) => endpoints.includes(endpoint))?.id;
  const model = served("chat.completions");
  const user = (content: unknown) => ({ messages: [{ role: "user", content }] });
  const chat = (body: object, headers: readonly string[] = []): readonly Markup[] =>
    model === undefined ? [] : [jsonCurl(origin, CHAT, { model, ...body }, headers)];
  switch (shown) {
    case "protocols":
      return protocols(site);
    case "stream":
      return model === undefined
        ? []
        : [chatCurl({ origin, hello: says.hello }, model, `"stream":true,`)];
    case "tools":
      return chat({ ...user(says.weather), tools: [WEATHER_TOOL] });
    case "reasoning":
      return chat({ reasoning_effort: "low", ...user(says.puzzle) });
    case "structured":
      return chat({ ...user(says.query), response_format: CITY_FORMAT });
    case "picture":
      return chat(
        user([
          { type: "text", text: says.whatIsIt },
          { type: "image_url", image_url: { url: POINT } },
        ]),
      );
    case "idempotent":
      return chat(user(says.hello), ["Idempotency-Key: $ORDER_ID"]);
    case "caching":
      return caching(site);
    case "goOn": {
      const id = served("responses");
      const body = { model: id, previous_response_id: "$RESPONSE_ID", input: says.again };
      return id === undefined ? [] : [jsonCurl(origin, "/v1/responses", body)];
    }
  }
}

const WEATHER_TOOL = {
  type: "function",
  function: {
    name: "get_weather",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
};

const CITY_FORMAT = {
  type: "json_schema",
  json_schema: {
    name: "city",
    strict: true,
    schema: {
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
      additionalProperties: false,
    },
  },
};

/** The same over each of them, with a model that it is served at. */
function protocols({ origin, list, t }: Site): readonly Markup[] {
  const { hello } = t.says;
  const messages = [{ role: "user", content: hello }];
  const bodies = [
    ["chat.completions", CHAT, { messages }],
    ["responses", "/v1/responses", { input: hello }],
    ["messages", "/v1/messages", { max_tokens: MAX_TOKENS, messages }],
  ] as const;
  return bodies.flatMap(([endpoint, path, body]) => {
    const model = list.data.find(({ endpoints }) => endpoints.includes(endpoint))?.id;
    return model === undefined ? [] : [jsonCurl(origin, path, { model, ...body })];
  });
}

/** With a model whose price has a line for it: another one would refuse the mark. */
function caching({ origin, list, t }: Site): readonly Markup[] {
  const model = list.data.find(
    ({ price, endpoints }) =>
      price.kind === "chat" && price.cacheWrite5m !== undefined && endpoints.includes("messages"),
  )?.id;
  if (model === undefined) return [];
  const text = t.says.instructions;
  const body = {
    model,
    max_tokens: MAX_TOKENS,
    system: [{ type: "text", text, cache_control: { type: "ephemeral" } }],
    messages: [{ role: "user", content: t.says.hello }],
  };
  return [jsonCurl(origin, "/v1/messages", body)];
}
