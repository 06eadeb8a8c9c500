/** Protects: code of a call is one word of the shell for each of its texts, and names every file. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import type { ChosenFile } from "./call-field.ts";
import { callSnippets } from "./call-snippets.ts";
import type { CallRequest } from "./write-call.ts";

const ORIGIN = "https://api.example";
const file = (name: string): ChosenFile => ({ id: name, file: new File(["x"], name) });
const codeOf = (request: CallRequest, name: string): string =>
  callSnippets(request, ORIGIN).find((code) => code.name === name)?.code ?? "";

test("a form in curl: the shell reads back its texts and files", () => {
  const code = codeOf(
    {
      path: "/images/edits",
      form: true,
      fields: { model: "m", prompt: "@it's $HOME" },
      files: [
        { name: "image[]", chosen: file(`a "1".png`) },
        { name: "image[]", chosen: file("b'2.png") },
      ],
    },
    "curl",
  );
  const script = `curl() { printf '%s\\n' "$@"; }\nTOLLGATE_KEY=secret\n${code}`;
  assert.deepEqual(execFileSync("sh", ["-c", script], { encoding: "utf8" }).trim().split("\n"), [
    `${ORIGIN}/v1/images/edits`,
    "-H",
    "Authorization: Bearer secret",
    "--form-string",
    "model=m",
    "--form-string",
    "prompt=@it's $HOME",
    "-F",
    String.raw`image[]=@"a \"1\".png"`,
    "-F",
    `image[]=@"b'2.png"`,
  ]);
});

test("several files are a list in both libraries, one is itself, and a sound is written to a file", () => {
  const edit = (files: readonly string[]): CallRequest => ({
    path: "/images/edits",
    form: true,
    fields: { model: "m" },
    files: files.map((name) => ({
      name: files.length > 1 ? "image[]" : "image",
      chosen: file(name),
    })),
  });
  assert.match(
    codeOf(edit(["a.png"]), "TypeScript"),
    /\n {2}image: createReadStream\("a\.png"\),\n/,
  );
  assert.match(
    codeOf(edit(["a.png", "b.png"]), "Python"),
    /\n {4}image=\[open\("a\.png", "rb"\), open\("b\.png", "rb"\)\],\n/,
  );
  const speech: CallRequest = {
    path: "/audio/speech",
    form: false,
    fields: { model: "m", input: "a", response_format: "wav" },
    files: [],
  };
  assert.match(codeOf(speech, "curl"), / -o speech\.wav$/);
  assert.match(codeOf(speech, "TypeScript"), /writeFile\("speech\.wav"/);
  assert.match(codeOf(speech, "Python"), /write_to_file\("speech\.wav"\)$/);
});

test("what OpenAI's libraries have no method for is sent without them", () => {
  const rerank: CallRequest = {
    path: "/rerank",
    form: false,
    fields: { model: "m", query: "q", documents: ["a", "b"] },
    files: [],
  };
  assert.match(codeOf(rerank, "TypeScript"), /fetch\("https:\/\/api\.example\/v1\/rerank"/);
  assert.match(codeOf(rerank, "Python"), /requests\.post/);
});
