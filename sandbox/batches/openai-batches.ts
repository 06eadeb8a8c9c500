/** OpenAI's files and batches, as strict as the vendor. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { Busboy } from "@fastify/busboy";
import type { Endpoint } from "../endpoint.ts";
import { isObject } from "../is-object.ts";
import { openaiDialect } from "../openai/dialect.ts";
import { readBody } from "../read-body.ts";
import { sendJson } from "../send-json.ts";
import { sentKey } from "../sent-key.ts";
import { batchDirectives } from "./batch-directives.ts";
import { newId, type BatchDesk, type DeskBatch, type DeskRequest } from "./batch-desk.ts";
import { ownUrl, serveOn } from "./own-url.ts";

interface DeskFile {
  readonly id: string;
  readonly key: string;
  readonly purpose: string;
  readonly text: string;
  readonly madeAt: Date;
}

interface OwnBatch {
  readonly inputFileId: string;
  readonly endpoint: string;
  readonly metadata: Readonly<Record<string, string>> | null;
  /** Null: its file was found wanting. */
  readonly batch: DeskBatch | null;
  readonly id: string;
  readonly key: string;
  readonly madeAt: Date;
  readonly mistakes: readonly object[];
  outputFileId: string | null;
  errorFileId: string | null;
}

const ENDPOINTS: ReadonlySet<unknown> = new Set([
  "/v1/responses",
  "/v1/chat/completions",
  "/v1/embeddings",
  "/v1/completions",
  "/v1/moderations",
]);
const KNOWN: ReadonlySet<string> = new Set([
  "input_file_id",
  "endpoint",
  "completion_window",
  "metadata",
  "output_expires_after",
]);
const PREFIX = "batch_";

export function openAiBatchEndpoints(desk: BatchDesk): Endpoint[] {
  const files = new Map<string, DeskFile>();
  const batches: OwnBatch[] = [];

  function keep(key: string, purpose: string, text: string): DeskFile {
    const file = { id: newId("file-"), key, purpose, text, madeAt: new Date() };
    files.set(file.id, file);
    return file;
  }

  const refuse = (res: ServerResponse, status: number, message: string, param: string | null) => {
    sendJson(res, status, openaiDialect.error({ status, message, param }));
    return `${status} ${message}`;
  };
  const ok = (res: ServerResponse, body: unknown): string => {
    sendJson(res, 200, body);
    return "200";
  };
  const fileBody = ({ id, purpose, text, madeAt }: DeskFile) => ({
    id,
    object: "file",
    bytes: Buffer.byteLength(text),
    created_at: seconds(madeAt),
    filename: "requests.jsonl",
    purpose,
    status: "processed",
  });

  /** Its files are made when it is asked for after its end. */
  function show(own: OwnBatch): object {
    const { batch } = own;
    if (batch !== null && batch.endedAt !== null && own.outputFileId === null) {
      const line = (good: boolean): string =>
        batch.results
          .filter(({ answer }) => (answer !== null && answer.status < 300) === good)
          .map((result, index) => resultLine(batch, result, index))
          .join("");
      const [good, bad] = [line(true), line(false)];
      own.outputFileId = good === "" ? null : keep(own.key, "batch_output", good).id;
      own.errorFileId ??= bad === "" ? null : keep(own.key, "batch_output", bad).id;
    }
    const ran = batch?.results.filter((result) => result !== undefined) ?? [];
    const completed = ran.filter(({ answer }) => answer !== null && answer.status < 300).length;
    return {
      id: own.id,
      object: "batch",
      endpoint: own.endpoint,
      errors: batch === null ? { object: "list", data: own.mistakes } : null,
      input_file_id: own.inputFileId,
      completion_window: "24h",
      status: batch === null ? "failed" : batch.state === "canceling" ? "cancelling" : batch.state,
      output_file_id: own.outputFileId,
      error_file_id: own.errorFileId,
      created_at: seconds(own.madeAt),
      request_counts: {
        total: batch?.requests.length ?? 0,
        completed,
        failed: ran.length - completed,
      },
      metadata: own.metadata,
    };
  }

  const find = (req: IncomingMessage, path: string, places: number): OwnBatch | undefined => {
    const id = path.split("/")[places];
    return batches.find((one) => one.id === id && one.key === sentKey(req));
  };

  async function create(req: IncomingMessage, res: ServerResponse): Promise<string> {
    const key = sentKey(req);
    const body = await readBody(req);
    if (body.kind !== "json") return refuse(res, 400, "We could not parse the JSON body.", null);
    const unknown = Object.keys(body.value).find((name) => !KNOWN.has(name));
    if (unknown !== undefined) return refuse(res, 400, `Unknown parameter: '${unknown}'.`, unknown);
    const { input_file_id: fileId, endpoint, completion_window: window, metadata } = body.value;
    const file = files.get(String(fileId));
    if (file === undefined || file.key !== key || file.purpose !== "batch")
      return refuse(res, 400, `Invalid file: '${String(fileId)}'.`, "input_file_id");
    if (!ENDPOINTS.has(endpoint)) return refuse(res, 400, "Invalid endpoint.", "endpoint");
    if (window !== "24h")
      return refuse(res, 400, "Invalid completion window.", "completion_window");
    if (metadata !== undefined && metadata !== null && !isMetadata(metadata))
      return refuse(res, 400, "Invalid metadata.", "metadata");
    const read = readLines(file.text, String(endpoint));
    const { directives } = read;
    if (directives.refuse !== null) return refuse(res, directives.refuse, "sandbox: refused", null);
    const batch =
      read.mistakes.length > 0
        ? null
        : desk.begin({
            prefix: PREFIX,
            key,
            url: ownUrl(req),
            headers: { authorization: `Bearer ${key}` },
            requests: read.requests,
          });
    const own: OwnBatch = {
      id: batch?.id ?? newId(PREFIX),
      key,
      madeAt: new Date(),
      inputFileId: file.id,
      endpoint: String(endpoint),
      metadata: isMetadata(metadata) ? metadata : null,
      batch,
      mistakes: read.mistakes,
      outputFileId: null,
      errorFileId: null,
    };
    batches.unshift(own);
    if (directives.lose) {
      res.destroy();
      return "lost";
    }
    return ok(res, show(own));
  }

  return [
    serveOn("POST", /^\/v1\/files\/?$/, async (req, res) => {
      const sent = await readUpload(req);
      if (sent === null || sent.purpose !== "batch")
        return refuse(res, 400, "'purpose' must be 'batch', and 'file' a file.", "purpose");
      return ok(res, fileBody(keep(sentKey(req), "batch", sent.text)));
    }),
    serveOn("GET", /^\/v1\/files\/[^/]+\/content$/, (req, res, path) => {
      const file = files.get(path.split("/")[3] ?? "");
      if (file === undefined || file.key !== sentKey(req))
        return refuse(res, 404, "No such File object.", "id");
      res.writeHead(200, { "content-type": "application/octet-stream" });
      res.end(file.text);
      return "200";
    }),
    serveOn("DELETE", /^\/v1\/files\/[^/]+$/, (req, res, path) => {
      const id = path.split("/")[3] ?? "";
      if (files.get(id)?.key !== sentKey(req))
        return refuse(res, 404, "No such File object.", "id");
      files.delete(id);
      return ok(res, { id, object: "file", deleted: true });
    }),
    serveOn("POST", /^\/v1\/batches\/?$/, create),
    serveOn("GET", /^\/v1\/batches\/?$/, (req, res) => {
      const query = new URL(req.url ?? "", "http://x").searchParams;
      const limit = Math.min(Number(query.get("limit") ?? 20), 100);
      const mine = batches.filter(({ key }) => key === sentKey(req));
      const from = mine.findIndex(({ id }) => id === query.get("after")) + 1;
      const page = mine.slice(from, from + limit);
      return ok(res, {
        object: "list",
        data: page.map(show),
        first_id: page[0]?.id ?? null,
        last_id: page.at(-1)?.id ?? null,
        has_more: mine.length > from + limit,
      });
    }),
    serveOn("GET", /^\/v1\/batches\/[^/]+$/, (req, res, path) => {
      const own = find(req, path, 3);
      return own === undefined ? refuse(res, 404, "No batch found.", null) : ok(res, show(own));
    }),
    serveOn("POST", /^\/v1\/batches\/[^/]+\/cancel$/, (req, res, path) => {
      const own = find(req, path, 3);
      if (own === undefined) return refuse(res, 404, "No batch found.", null);
      if (own.batch === null || own.batch.endedAt !== null)
        return refuse(res, 409, "Cannot cancel a batch that has ended.", null);
      desk.cancel(own.batch);
      return ok(res, show(own));
    }),
  ];
}

function seconds(moment: Date): number {
  return Math.floor(moment.getTime() / 1000);
}

function isMetadata(value: unknown): value is Readonly<Record<string, string>> {
  return (
    isObject(value) &&
    Object.keys(value).length <= 16 &&
    Object.entries(value).every(
      ([name, text]) => name.length <= 64 && typeof text === "string" && text.length <= 512,
    )
  );
}

function resultLine(
  { id }: DeskBatch,
  { customId, answer }: DeskBatch["results"][number],
  index: number,
): string {
  return `${JSON.stringify({
    id: `batch_req_${id}_${index}`,
    custom_id: customId,
    response:
      answer === null
        ? null
        : {
            status_code: answer.status,
            request_id: `req_${index}`,
            body: JSON.parse(answer.body) as unknown,
          },
    error:
      answer === null
        ? { code: "batch_expired", message: "It could not be executed in time." }
        : null,
  })}\n`;
}

function readLines(text: string, endpoint: string) {
  const requests: DeskRequest[] = [];
  const mistakes: object[] = [];
  const seen = new Set<unknown>();
  const models = new Set<unknown>();
  const wrong = (line: number, code: string): void =>
    void mistakes.push({ code, line, message: code, param: null });
  const lines = text.split("\n");
  for (const [index, line] of lines.entries()) {
    if (line.trim() === "") continue;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      wrong(index + 1, "invalid_json_line");
      continue;
    }
    if (!isObject(value) || typeof value["custom_id"] !== "string" || !isObject(value["body"])) {
      wrong(index + 1, "missing_required_parameter");
      continue;
    }
    const { custom_id: customId, method, url, body } = value;
    if (seen.has(customId)) wrong(index + 1, "duplicate_custom_id");
    seen.add(customId);
    models.add((body as Record<string, unknown>)["model"]);
    if (method !== "POST") wrong(index + 1, "invalid_method");
    if (url !== endpoint) wrong(index + 1, "mismatched_endpoint");
    requests.push({ customId: String(customId), url: endpoint, body: JSON.stringify(body) });
  }
  if (models.size > 1) wrong(1, "mismatched_model");
  if (requests.length === 0 || requests.length > 50_000) wrong(1, "invalid_file");
  const directives = batchDirectives(requests[0]?.body ?? "");
  if (directives.fail) wrong(1, "sandbox_fail");
  return { requests, mistakes, directives };
}

function readUpload(
  req: IncomingMessage,
): Promise<{ readonly purpose: string; readonly text: string } | null> {
  const type = req.headers["content-type"] ?? "";
  if (!type.startsWith("multipart/form-data")) return Promise.resolve(null);
  const { promise, resolve } = Promise.withResolvers<{ purpose: string; text: string } | null>();
  const form = new Busboy({ headers: { "content-type": type } });
  let purpose = "";
  let text: string | null = null;
  form.on("field", (name, value) => {
    if (name === "purpose") purpose = String(value);
  });
  form.on("file", (name, file) => {
    const parts: Buffer[] = [];
    file.on("data", (part: Buffer) => parts.push(part));
    file.on("end", () => {
      if (name === "file") text = Buffer.concat(parts).toString("utf8");
    });
  });
  form.on("finish", () => resolve(text === null ? null : { purpose, text }));
  form.on("error", () => resolve(null));
  req.on("error", () => resolve(null));
  req.pipe(form);
  return promise;
}
