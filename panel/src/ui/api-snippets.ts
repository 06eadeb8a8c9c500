/**
 * Ready code for the API with a key in it: curl, the official SDKs, and tools that take an address
 * and a key.
 */
import type { PanelModel } from "../../../src/contract/panel/panel-model.ts";

export interface Snippet {
  readonly name: string;
  readonly code: string;
}

interface SnippetWish {
  /** Where the API is. */
  readonly origin: string;
  readonly key: string;
  /** Those that the key may call. */
  readonly models: readonly PanelModel[];
  /** Whether the key may call every model: then ids of families work too. */
  readonly unrestricted: boolean;
}

const HELLO = "Привет!";

export function apiSnippets(wish: SnippetWish): readonly Snippet[] {
  const { models } = wish;
  const chat = models.find(({ endpoints }) => endpoints.includes("chat.completions"));
  const responses = models.find(({ endpoints }) => endpoints.includes("responses"));
  const messages = models.find(({ endpoints }) => endpoints.includes("messages"));
  const task = models.find(({ form }) => form !== null);
  return [
    ...(chat === undefined ? [] : openAiSnippets(wish, chat.id)),
    ...(messages === undefined ? [] : anthropicSnippets(wish, messages)),
    ...(chat === undefined ? [] : toolSnippets(wish, chat.id)),
    ...(responses === undefined ? [] : responsesSnippets(wish, responses.id)),
    ...(chat === undefined && messages === undefined && task !== undefined
      ? [taskSnippet(wish, task)]
      : []),
  ];
}

export function chatCurl(
  { origin, key }: Pick<SnippetWish, "origin" | "key">,
  model: string,
): string {
  return `curl ${origin}/v1/chat/completions \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  -d '{"model":"${model}","messages":[{"role":"user","content":"${HELLO}"}]}'`;
}

function openAiSnippets({ origin, key }: SnippetWish, model: string): readonly Snippet[] {
  return [
    { name: "curl", code: chatCurl({ origin, key }, model) },
    {
      name: "OpenAI TS",
      code: `import OpenAI from "openai";

const client = new OpenAI({ baseURL: "${origin}/v1", apiKey: "${key}" });
const answer = await client.chat.completions.create({
  model: "${model}",
  messages: [{ role: "user", content: "${HELLO}" }],
});
console.log(answer.choices[0]?.message.content);`,
    },
    {
      name: "OpenAI Python",
      code: `from openai import OpenAI

client = OpenAI(base_url="${origin}/v1", api_key="${key}")
answer = client.chat.completions.create(
    model="${model}",
    messages=[{"role": "user", "content": "${HELLO}"}],
)
print(answer.choices[0].message.content)`,
    },
  ];
}

function anthropicSnippets(
  { origin, key, unrestricted }: SnippetWish,
  { id, aliases }: PanelModel,
): readonly Snippet[] {
  // Claude Code asks for its own names: they lead somewhere only by a family that the key may call.
  const named = unrestricted && aliases.length > 0 ? "" : `\nexport ANTHROPIC_MODEL=${id}`;
  return [
    {
      name: "curl Messages",
      code: `curl ${origin}/v1/messages \\
  -H "x-api-key: ${key}" \\
  -H "anthropic-version: 2023-06-01" \\
  -H "Content-Type: application/json" \\
  -d '{"model":"${id}","max_tokens":1000,"messages":[{"role":"user","content":"${HELLO}"}]}'`,
    },
    {
      name: "Anthropic TS",
      code: `import Anthropic from "@anthropic-ai/sdk";

const client = new Anthropic({ baseURL: "${origin}", apiKey: "${key}" });
const answer = await client.messages.create({
  model: "${id}",
  max_tokens: 1000,
  messages: [{ role: "user", content: "${HELLO}" }],
});
console.log(answer.content);`,
    },
    {
      name: "Anthropic Python",
      code: `from anthropic import Anthropic

client = Anthropic(base_url="${origin}", api_key="${key}")
answer = client.messages.create(
    model="${id}",
    max_tokens=1000,
    messages=[{"role": "user", "content": "${HELLO}"}],
)
print(answer.content)`,
    },
    {
      name: "Claude Code",
      code: `export ANTHROPIC_BASE_URL=${origin}
export ANTHROPIC_AUTH_TOKEN=${key}${named}
claude`,
    },
  ];
}

/** Tools that speak Chat Completions. */
function toolSnippets({ origin, key }: SnippetWish, model: string): readonly Snippet[] {
  return [
    {
      name: "aider, Cline…",
      code: `export OPENAI_BASE_URL=${origin}/v1
export OPENAI_API_BASE=${origin}/v1
export OPENAI_API_KEY=${key}
aider --model openai/${model}`,
    },
    {
      name: "opencode",
      code: `{
  "$schema": "https://opencode.ai/config.json",
  "provider": {
    "tollgate": {
      "npm": "@ai-sdk/openai-compatible",
      "name": "Tollgate",
      "options": { "baseURL": "${origin}/v1", "apiKey": "${key}" },
      "models": { "${model}": {} }
    }
  },
  "model": "tollgate/${model}"
}`,
    },
  ];
}

/** Tools that speak Responses. */
function responsesSnippets({ origin, key }: SnippetWish, model: string): readonly Snippet[] {
  return [
    {
      name: "Codex",
      code: `# export TOLLGATE_KEY=${key}
model = "${model}"
model_provider = "tollgate"

[model_providers.tollgate]
name = "Tollgate"
base_url = "${origin}/v1"
env_key = "TOLLGATE_KEY"
wire_api = "responses"`,
    },
    {
      name: "AI SDK",
      code: `import { createOpenAI } from "@ai-sdk/openai";
import { generateText } from "ai";

const tollgate = createOpenAI({ baseURL: "${origin}/v1", apiKey: "${key}" });
const { text } = await generateText({ model: tollgate("${model}"), prompt: "${HELLO}" });
console.log(text);`,
    },
    {
      name: "OpenAI Agents",
      code: `export OPENAI_BASE_URL=${origin}/v1
export OPENAI_API_KEY=${key}
export OPENAI_DEFAULT_MODEL=${model}`,
    },
  ];
}

function taskSnippet({ origin, key }: SnippetWish, { id, form }: PanelModel): Snippet {
  const body = JSON.stringify(form?.examples.minimal ?? {}).replaceAll("'", String.raw`'\''`);
  return {
    name: "curl",
    code: `curl ${origin}/v1/tasks/${id} \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  -d '${body}'`,
  };
}
