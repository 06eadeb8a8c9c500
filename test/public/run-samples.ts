/** Samples of the public pages, run in a shell as they are copied; answers fill in their variables. */
import assert from "node:assert/strict";
import { runInShell } from "../support/start-tollgate.ts";
import { until } from "../support/until.ts";

const ENTITIES: Readonly<Record<string, string>> = {
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&amp;": "&",
};

/** What a block of code holds, as the button copies it, with a key in place of the dots. */
function codeOf(block: string, secret: string): string {
  return block
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll(/&(?:lt|gt|quot|amp);/g, (entity) => ENTITIES[entity] ?? entity)
    .replaceAll("tg_live_…", secret);
}

async function pageAt(url: string, path: string): Promise<string> {
  const answer = await fetch(`${url}${path}`, { headers: { accept: "text/html" } });
  assert.equal(answer.status, 200, path);
  return answer.text();
}

/** The blocks of code of a page. */
export async function samplesOf(url: string, path: string, secret: string): Promise<string[]> {
  const blocks = (await pageAt(url, path)).matchAll(/<pre[^>]*><code>([^]*?)<\/code><\/pre>/g);
  return [...blocks].map(([, block = ""]) => codeOf(block, secret));
}

/** Those of a list of clients, by the client. */
export async function clientSamplesOf(
  url: string,
  path: string,
  secret: string,
): Promise<ReadonlyMap<string, string>> {
  const items = (await pageAt(url, path)).matchAll(
    /<summary>([^<]+)<\/summary><div class="sample"><pre[^>]*><code>([^]*?)<\/code>/g,
  );
  return new Map([...items].map(([, client = "", block = ""]) => [client, codeOf(block, secret)]));
}

/** The bodies that a page of the reference shows, each with where it is sent. */
export async function bodiesOf(
  url: string,
  path: string,
): Promise<readonly (readonly [endpoint: string, body: string])[]> {
  const operations = (await pageAt(url, path)).split('<section class="op"').slice(1);
  return operations.flatMap((operation) => {
    const endpoint = /<code><b>POST<\/b> ([^<]+)<\/code>/.exec(operation)?.[1];
    const block = /<pre[^>]*><code>([^]*?)<\/code>/.exec(operation)?.[1];
    return endpoint === undefined || block === undefined
      ? []
      : [[endpoint, codeOf(block, "")] as const];
  });
}

export interface SampleRunner {
  /** Of what earlier answers told, and what the test set. */
  readonly variables: Record<string, string>;
  /** Those of a page in their order; how many requests they were. Throws where one is refused. */
  run(codes: readonly string[]): Promise<number>;
}

/** @param folder where the files are that samples send, and go that they make. */
export function createSampleRunner(
  folder: string,
  variables: Record<string, string>,
): SampleRunner {
  async function ask(code: string): Promise<void> {
    const line = code.replace(/^curl /, "curl -sS --fail ");
    const answer = await runInShell(line, variables, folder);
    assert.doesNotMatch(answer, /"error":\{/, code);
    Object.assign(variables, variablesOf(answer));
  }

  return {
    variables,
    async run(codes) {
      let asked = "";
      let count = 0;
      for (const code of codes) {
        if (!/^(curl|cat) /.test(code)) continue;
        for (const [, name = ""] of code.matchAll(/\$([A-Z_]+)/g))
          // What is not there yet the request before tells when it is asked again.
          await until(`${name} for ${code}`, async () => {
            if (variables[name] !== undefined) return true;
            await ask(asked);
            return variables[name] !== undefined;
          });
        await ask(code);
        asked = code;
        if (code.startsWith("curl ")) count += 1;
      }
      return count;
    },
  };
}

interface SampleAnswer {
  readonly id?: unknown;
  readonly output_file_id?: unknown;
  readonly data?: { readonly taskId?: unknown; readonly url?: unknown };
}

const ID_NAMES = [
  ["msgbatch_", "MESSAGE_BATCH_ID"],
  ["batch_", "BATCH_ID"],
  ["file-", "FILE_ID"],
  ["resp_", "RESPONSE_ID"],
] as const;

/** What the pages call what an answer has. */
function variablesOf(answer: string): Record<string, string> {
  const { id, output_file_id: output, data } = read(answer);
  const found: Record<string, string> = {};
  const own = typeof id === "string" ? id : "";
  const name = ID_NAMES.find(([prefix]) => own.startsWith(prefix))?.[1];
  if (name !== undefined) found[name] = own;
  if (typeof output === "string") found["OUTPUT_FILE_ID"] = output;
  if (typeof data?.taskId === "string") found["TASK_ID"] = data.taskId;
  if (typeof data?.url === "string")
    Object.assign(found, { FILE_URL: data.url, FILE_NAME: data.url.split("/").at(-1) ?? "" });
  return found;
}

/** A stream, a sound, a file: nothing that samples go on with. */
function read(answer: string): SampleAnswer {
  try {
    const value: unknown = JSON.parse(answer);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}
