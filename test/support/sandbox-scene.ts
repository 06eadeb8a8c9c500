/**
 * What the tests of the media side work with: a sandbox, a server of input files, and a place where
 * webhooks arrive.
 */
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout } from "node:timers/promises";
import { createSandbox } from "../../sandbox/create-sandbox.ts";
import type { MediaOptions } from "../../sandbox/media-endpoints.ts";

export interface ReceivedWebhook {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Of a JSON answer; tests look into it freely. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- the assertions say what it has to be
  readonly body: any;
}

export interface SandboxScene {
  readonly url: string;
  /** Every line of the log. */
  readonly log: readonly string[];
  readonly webhooks: readonly ReceivedWebhook[];
  /** Where webhooks may be sent. */
  readonly webhookUrl: string;
  /** A folder of this test. */
  readonly folder: string;
  /** Gives a file an address; `contentType` is what the server says of it. */
  offer(name: string, path: string, contentType: string): string;
  /** An address of the input server at which there is nothing. */
  readonly missingUrl: string;
  call(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer>;
  /** Creates a task of kie's and gives the whole answer. */
  create(model: string, input: Record<string, unknown>, callBackUrl?: string): Promise<Answer>;
  /** The same, and its id. */
  start(model: string, input: Record<string, unknown>, callBackUrl?: string): Promise<string>;
  record(taskId: string): Promise<Answer>;
  /** Polls until it ended and gives `data`. */
  finish(taskId: string): Promise<Answer["body"]>;
  inspect(query?: string): Promise<Answer["body"]>;
  /** Waits for so many webhooks. */
  arrived(count: number): Promise<void>;
}

const KEY = "key-of-the-scene";

export async function openSandboxScene(
  t: TestContext,
  media: MediaOptions = {},
): Promise<SandboxScene> {
  const folder = await mkdtemp(join(tmpdir(), "sandbox-scene-"));
  const log: string[] = [];
  const webhooks: ReceivedWebhook[] = [];
  const offered = new Map<string, { path: string; contentType: string }>();
  const side = createServer((req, res) => {
    const file = offered.get(req.url ?? "");
    if (req.method === "POST") {
      const parts: Buffer[] = [];
      req.on("data", (part: Buffer) => parts.push(part));
      req.on("end", () => {
        webhooks.push({ headers: req.headers, text: Buffer.concat(parts).toString() });
        res.end("{}");
      });
    } else if (file === undefined) res.writeHead(404).end();
    else
      void readFile(file.path).then((bytes) =>
        res.writeHead(200, { "content-type": file.contentType }).end(bytes),
      );
  });
  side.listen(0, "127.0.0.1");
  await once(side, "listening");
  const sideUrl = `http://127.0.0.1:${(side.address() as AddressInfo).port}`;
  const sandbox = await createSandbox({
    port: 0,
    host: "127.0.0.1",
    log: (line) => log.push(line),
    media: { queueMs: 10, runMs: 20, ...media },
  });
  t.after(async () => {
    await sandbox.close();
    side.closeAllConnections();
    side.close();
    await rm(folder, { recursive: true, force: true });
  });

  const scene: SandboxScene = {
    url: sandbox.url,
    log,
    webhooks,
    webhookUrl: `${sideUrl}/webhooks`,
    folder,
    missingUrl: `${sideUrl}/nothing.png`,
    offer(name, path, contentType) {
      offered.set(`/${name}`, { path, contentType });
      return `${sideUrl}/${name}`;
    },
    async call(method, path, body, headers = {}) {
      const answer = await fetch(path.startsWith("http") ? path : sandbox.url + path, {
        method,
        headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json", ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(20_000),
      });
      const text = await answer.text();
      return { status: answer.status, headers: answer.headers, text, body: parse(text) };
    },
    create: (model, input, callBackUrl) =>
      scene.call("POST", "/api/v1/jobs/createTask", { model, input, callBackUrl }),
    async start(model, input, callBackUrl) {
      const answer = await scene.create(model, input, callBackUrl);
      if (answer.body?.code !== 200) throw new Error(`not taken: ${answer.text}`);
      return String(answer.body.data.taskId);
    },
    record: (taskId) => scene.call("GET", `/api/v1/jobs/recordInfo?taskId=${taskId}`),
    async finish(taskId) {
      for (const until = performance.now() + 60_000; performance.now() < until;) {
        const { body } = await scene.record(taskId);
        if (body?.data?.state === "success" || body?.data?.state === "fail") return body.data;
        await setTimeout(20);
      }
      throw new Error(`task ${taskId} did not end`);
    },
    inspect: async (query = "") => (await scene.call("GET", `/sandbox/tasks${query}`)).body,
    async arrived(count) {
      const until = performance.now() + 20_000;
      while (webhooks.length < count) {
        if (performance.now() > until)
          throw new Error(`${webhooks.length} webhooks instead of ${count}`);
        await setTimeout(10);
      }
    },
  };
  return scene;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The URLs of a finished record. */
export function resultUrls(record: Answer["body"]): string[] {
  return JSON.parse(record.resultJson).resultUrls;
}
