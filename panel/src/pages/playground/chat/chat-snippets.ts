/**
 * The request of the moment as code that anybody can run: with curl and with the makers' own
 * libraries.
 */
import type { Code } from "../../../ui/code-block.tsx";
import { BEARER, curlOf, inKeywords, type SentJson } from "../snippet-parts.ts";
import type { SpokenProtocol } from "./chat-dialect.ts";
import { shortenMedia } from "../shorten-media.ts";

/** @param origin where the API is. */
export function chatSnippets(
  protocol: SpokenProtocol,
  request: SentJson,
  origin: string,
): readonly Code[] {
  return SNIPPETS[protocol](request, origin).map(({ name, code }) => ({
    name,
    code: shortenMedia(code),
  }));
}

const SNIPPETS: Readonly<
  Record<SpokenProtocol, (request: SentJson, origin: string) => readonly Code[]>
> = { openai: openAiSnippets, anthropic: anthropicSnippets, responses: responsesSnippets };

function responsesSnippets(request: SentJson, origin: string): readonly Code[] {
  const streamed = request["stream"] === true;
  const base = `${origin}/v1`;
  return [
    curlOf(`${base}/responses`, [BEARER], request),
    {
      name: "TypeScript",
      code: `import OpenAI from "openai";

const client = new OpenAI({ apiKey: process.env.TOLLGATE_KEY, baseURL: ${JSON.stringify(base)} });

const answer = await client.responses.create(${JSON.stringify(request, null, 2)});
${
  streamed
    ? `for await (const event of answer) {
  if (event.type === "response.output_text.delta") process.stdout.write(event.delta);
}`
    : "console.log(answer.output_text);"
}`,
    },
    {
      name: "Python",
      code: `import os

from openai import OpenAI

client = OpenAI(api_key=os.environ["TOLLGATE_KEY"], base_url=${JSON.stringify(base)})

answer = client.responses.create(${inKeywords(request)}
)
${
  streamed
    ? `for event in answer:
    if event.type == "response.output_text.delta":
        print(event.delta, end="", flush=True)`
    : "print(answer.output_text)"
}`,
    },
  ];
}

function openAiSnippets(request: SentJson, origin: string): readonly Code[] {
  const streamed = request["stream"] === true;
  const base = `${origin}/v1`;
  return [
    curlOf(`${base}/chat/completions`, [BEARER], request),
    {
      name: "TypeScript",
      code: `import OpenAI from "openai";

const client = new OpenAI({ apiKey: process.env.TOLLGATE_KEY, baseURL: ${JSON.stringify(base)} });

const answer = await client.chat.completions.create(${JSON.stringify(request, null, 2)});
${
  streamed
    ? `for await (const chunk of answer) process.stdout.write(chunk.choices[0]?.delta?.content ?? "");`
    : "console.log(answer.choices[0].message);"
}`,
    },
    {
      name: "Python",
      code: `import os

from openai import OpenAI

client = OpenAI(api_key=os.environ["TOLLGATE_KEY"], base_url=${JSON.stringify(base)})

answer = client.chat.completions.create(${inKeywords(request)}
)
${
  streamed
    ? `for chunk in answer:
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="", flush=True)`
    : "print(answer.choices[0].message)"
}`,
    },
  ];
}

function anthropicSnippets(request: SentJson, origin: string): readonly Code[] {
  const streamed = request["stream"] === true;
  return [
    curlOf(
      `${origin}/v1/messages`,
      ['-H "x-api-key: $TOLLGATE_KEY"', "-H 'anthropic-version: 2023-06-01'"],
      request,
    ),
    {
      name: "TypeScript",
      code: `import Anthropic from "@anthropic-ai/sdk";

const client = new Anthropic({ apiKey: process.env.TOLLGATE_KEY, baseURL: ${JSON.stringify(origin)} });

const answer = await client.messages.create(${JSON.stringify(request, null, 2)});
${
  streamed
    ? `for await (const event of answer) {
  if (event.type === "content_block_delta" && event.delta.type === "text_delta") process.stdout.write(event.delta.text);
}`
    : "console.log(answer.content);"
}`,
    },
    {
      name: "Python",
      code: `import os

from anthropic import Anthropic

client = Anthropic(api_key=os.environ["TOLLGATE_KEY"], base_url=${JSON.stringify(origin)})

answer = client.messages.create(${inKeywords(request)}
)
${
  streamed
    ? `for event in answer:
    if event.type == "content_block_delta" and event.delta.type == "text_delta":
        print(event.delta.text, end="", flush=True)`
    : "print(answer.content)"
}`,
    },
  ];
}
