/** How each client is pointed at this gateway, as code to be copied. */
import type { PanelModel } from "../../../contract/panel/panel-model.ts";
import { markup, type Markup } from "../markup.ts";
import { KEY } from "../page-parts.ts";

export interface ClientSample {
  readonly client: string;
  readonly code: Markup;
}

type Place = Pick<Wish, "origin" | "hello">;

interface Wish {
  /** Where the outside reaches us, without a slash at its end. */
  readonly origin: string;
  readonly models: readonly PanelModel[];
  /** What they say to the model. */
  readonly hello: string;
}

/** Those for which there is a model; each names the first that it can call. */
export function clientSamples({ origin, models, hello }: Wish): readonly ClientSample[] {
  const first = (endpoint: string): PanelModel | undefined =>
    models.find(({ endpoints }) => endpoints.includes(endpoint));
  const chat = first("chat.completions");
  const messages = first("messages");
  const responses = first("responses");
  return [
    ...(chat === undefined ? [] : chatSamples({ origin, hello }, chat.id)),
    ...(messages === undefined ? [] : messagesSamples({ origin, hello }, messages)),
    ...(responses === undefined ? [] : responsesSamples({ origin, hello }, responses.id)),
    ...(chat === undefined ? [] : toolSamples({ origin, hello }, chat.id)),
  ];
}

/** A string as TypeScript, Python, JSON and TOML have it. */
const quoted = (text: string): string => JSON.stringify(text);
/** The same, for a shell's single quotes around all of it. */
export const inShell = (text: string): string => text.replaceAll("'", String.raw`'\''`);

/**
 * @param asked members of the body besides the model and the message.
 * @param path of the endpoint, or of its quote.
 */
export function chatCurl(
  { origin, hello }: Place,
  model: string,
  asked = "",
  path = "/v1/chat/completions",
): Markup {
  return markup`curl ${origin}${path} \\
  -H "Authorization: Bearer ${KEY}" \\
  -H "Content-Type: application/json" \\
  -d '{"model":${inShell(quoted(model))},${asked}
       "messages":[{"role":"user","content":${inShell(quoted(hello))}}]}'`;
}

function chatSamples({ origin, hello }: Place, model: string): readonly ClientSample[] {
  return [
    { client: "curl", code: chatCurl({ origin, hello }, model) },
    {
      client: "OpenAI SDK, Python",
      code: markup`from openai import OpenAI

client = OpenAI(base_url="${origin}/v1", api_key="${KEY}")
answer = client.chat.completions.create(
    model=${quoted(model)},
    messages=[{"role": "user", "content": ${quoted(hello)}}],
)
print(answer.choices[0].message.content)`,
    },
    {
      client: "OpenAI SDK, TypeScript",
      code: markup`import OpenAI from "openai";

const client = new OpenAI({ baseURL: "${origin}/v1", apiKey: "${KEY}" });
const answer = await client.chat.completions.create({
  model: ${quoted(model)},
  messages: [{ role: "user", content: ${quoted(hello)} }],
});
console.log(answer.choices[0]?.message.content);`,
    },
  ];
}

function messagesSamples(
  { origin, hello }: Place,
  { id, aliases }: PanelModel,
): readonly ClientSample[] {
  // Claude Code asks for names of its own, which lead somewhere only where a family has them.
  const named =
    aliases.length > 0
      ? null
      : markup`
export ANTHROPIC_MODEL='${inShell(id)}'`;
  return [
    {
      client: "Claude Code",
      code: markup`export ANTHROPIC_BASE_URL=${origin}
export ANTHROPIC_AUTH_TOKEN=${KEY}${named}
claude`,
    },
    {
      client: "Anthropic SDK",
      code: markup`import Anthropic from "@anthropic-ai/sdk";

const client = new Anthropic({ baseURL: "${origin}", apiKey: "${KEY}" });
const answer = await client.messages.create({
  model: ${quoted(id)},
  max_tokens: 1000,
  messages: [{ role: "user", content: ${quoted(hello)} }],
});
console.log(answer.content);`,
    },
  ];
}

function responsesSamples({ origin, hello }: Place, model: string): readonly ClientSample[] {
  return [
    {
      client: "Codex",
      code: markup`# export TOLLGATE_KEY=${KEY}
model = ${quoted(model)}
model_provider = "tollgate"

[model_providers.tollgate]
name = "Tollgate"
base_url = "${origin}/v1"
env_key = "TOLLGATE_KEY"
wire_api = "responses"`,
    },
    {
      client: "AI SDK",
      code: markup`import { createOpenAI } from "@ai-sdk/openai";
import { generateText } from "ai";

const tollgate = createOpenAI({ baseURL: "${origin}/v1", apiKey: "${KEY}" });
const { text } = await generateText({ model: tollgate(${quoted(model)}), prompt: ${quoted(hello)} });
console.log(text);`,
    },
  ];
}

/** Those that speak Chat Completions and are told of it by settings. */
function toolSamples({ origin, hello }: Place, model: string): readonly ClientSample[] {
  return [
    {
      client: "opencode",
      code: markup`{
  "$schema": "https://opencode.ai/config.json",
  "provider": {
    "tollgate": {
      "npm": "@ai-sdk/openai-compatible",
      "options": { "baseURL": "${origin}/v1", "apiKey": "${KEY}" },
      "models": { ${quoted(model)}: {} }
    }
  },
  "model": ${quoted(`tollgate/${model}`)}
}`,
    },
    {
      client: "Cline",
      code: markup`cline auth -p openai-compatible -b ${origin}/v1 -k ${KEY} -m '${inShell(model)}'`,
    },
    {
      client: "LangChain",
      code: markup`from langchain_openai import ChatOpenAI

model = ChatOpenAI(model=${quoted(model)}, base_url="${origin}/v1", api_key="${KEY}")
print(model.invoke(${quoted(hello)}).content)`,
    },
  ];
}
