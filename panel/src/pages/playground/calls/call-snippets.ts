/** A call as code that anybody can run: with curl, and with OpenAI's libraries where they have it. */
import type { Snippet } from "../../../ui/api-snippets.ts";
import { inPython, inShell } from "../literals.ts";
import { BEARER, curlLines, curlOf, inKeywords } from "../snippet-parts.ts";
import type { CallPath, CallRequest } from "./write-call.ts";

/** What OpenAI's libraries call it, and how its answer is looked at in each. */
interface Named {
  readonly method: string;
  readonly typescript: string;
  readonly python: string;
}

const TRANSCRIPT = {
  typescript: `console.log(typeof answer === "string" ? answer : answer.text);`,
  python: `print(answer if isinstance(answer, str) else answer.text)`,
};
const IMAGES = {
  typescript: `console.log(answer.data?.map(({ url }) => url));`,
  python: `print([image.url for image in answer.data])`,
};

/** Null: they have no such call. */
const NAMED: Readonly<Record<CallPath, ((request: CallRequest) => Named) | null>> = {
  "/embeddings": () => ({
    method: "embeddings.create",
    typescript: `console.log(answer.data.map(({ embedding }) => embedding.length));`,
    python: `print([len(one.embedding) for one in answer.data])`,
  }),
  "/rerank": null,
  "/moderations": () => ({
    method: "moderations.create",
    typescript: `console.log(answer.results);`,
    python: `print(answer.results)`,
  }),
  "/completions": () => ({
    method: "completions.create",
    typescript: `console.log(answer.choices[0]?.text);`,
    python: `print(answer.choices[0].text)`,
  }),
  "/images/generations": () => ({ method: "images.generate", ...IMAGES }),
  "/images/edits": () => ({ method: "images.edit", ...IMAGES }),
  "/audio/speech": (request) => ({
    method: "audio.speech.create",
    typescript: `await writeFile(${JSON.stringify(soundName(request))}, Buffer.from(await answer.arrayBuffer()));`,
    python: `answer.write_to_file(${JSON.stringify(soundName(request))})`,
  }),
  "/audio/transcriptions": () => ({ method: "audio.transcriptions.create", ...TRANSCRIPT }),
  "/audio/translations": () => ({ method: "audio.translations.create", ...TRANSCRIPT }),
};

/** @param origin where the API is. */
export function callSnippets(request: CallRequest, origin: string): readonly Snippet[] {
  const named = NAMED[request.path]?.(request) ?? null;
  const base = `${origin}/v1`;
  return [
    inCurl(request, base),
    {
      name: "TypeScript",
      code: named === null ? byFetch(request, base) : byOpenAi(request, base, named),
    },
    {
      name: "Python",
      code: named === null ? byRequests(request, base) : byOpenAiPython(request, base, named),
    },
  ];
}

function inCurl(request: CallRequest, base: string): Snippet {
  const { path, form, fields, files } = request;
  const url = base + path;
  if (!form)
    return curlOf(
      url,
      [BEARER],
      fields,
      path === "/audio/speech" ? [`-o ${soundName(request)}`] : [],
    );
  return curlLines(url, [
    BEARER,
    // Unlike -F, it reads no file that a text begins with the name of.
    ...Object.entries(fields).map(
      ([name, value]) => `--form-string ${inShell(`${name}=${String(value)}`)}`,
    ),
    ...files.map(
      ({ name, chosen }) => `-F ${inShell(`${name}=@"${quotedForCurl(chosen.file.name)}"`)}`,
    ),
  ]);
}

function quotedForCurl(name: string): string {
  return name.replaceAll(/["\\]/g, String.raw`\$&`);
}

function byOpenAi(request: CallRequest, base: string, { method, typescript }: Named): string {
  const { path, fields } = request;
  const files = filesBy(request, (name) => `createReadStream(${JSON.stringify(name)})`);
  const imports = [
    ...(files.length === 0 ? [] : [`import { createReadStream } from "node:fs";`]),
    ...(path === "/audio/speech" ? [`import { writeFile } from "node:fs/promises";`] : []),
    `import OpenAI from "openai";`,
  ];
  const own = Object.entries(fields).map(
    ([name, value]) => `  ${name}: ${JSON.stringify(value, null, 2).replaceAll("\n", "\n  ")},`,
  );
  return `${imports.join("\n")}

const client = new OpenAI({ apiKey: process.env.TOLLGATE_KEY, baseURL: ${JSON.stringify(base)} });

const answer = await client.${method}({
${[...own, ...files.map(([name, code]) => `  ${name}: ${code},`)].join("\n")}
});
${typescript}`;
}

function byOpenAiPython(request: CallRequest, base: string, { method, python }: Named): string {
  const files = filesBy(request, (name) => `open(${JSON.stringify(name)}, "rb")`);
  return `import os

from openai import OpenAI

client = OpenAI(api_key=os.environ["TOLLGATE_KEY"], base_url=${JSON.stringify(base)})

answer = client.${method}(${inKeywords(request.fields)}${files.map(([name, code]) => `\n    ${name}=${code},`).join("")}
)
${python}`;
}

/** By the parameter: one, or a list of several. */
function filesBy(
  { files }: CallRequest,
  open: (name: string) => string,
): readonly (readonly [name: string, code: string])[] {
  const byName = Map.groupBy(files, ({ name }) => name.replace("[]", ""));
  return [...byName].map(([name, all]) => {
    const opened = all.map(({ chosen }) => open(chosen.file.name));
    return [name, opened.length === 1 ? String(opened[0]) : `[${opened.join(", ")}]`];
  });
}

function byFetch({ path, fields }: CallRequest, base: string): string {
  return `const answer = await fetch(${JSON.stringify(base + path)}, {
  method: "POST",
  headers: { Authorization: \`Bearer \${process.env.TOLLGATE_KEY}\`, "Content-Type": "application/json" },
  body: JSON.stringify(${JSON.stringify(fields, null, 2).replaceAll("\n", "\n  ")}),
});
if (!answer.ok) throw new Error(\`HTTP \${answer.status}\`);
console.log((await answer.json()).results);`;
}

function byRequests({ path, fields }: CallRequest, base: string): string {
  return `import os

import requests

answer = requests.post(
    ${JSON.stringify(base + path)},
    headers={"Authorization": f"Bearer {os.environ['TOLLGATE_KEY']}"},
    json=${inPython(fields, 4)},
)
answer.raise_for_status()
print(answer.json()["results"])`;
}

function soundName({ fields }: CallRequest): string {
  return `speech.${String(fields["response_format"])}`;
}
