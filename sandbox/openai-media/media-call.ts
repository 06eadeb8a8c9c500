/**
 * One request of OpenAI's image and audio endpoints: read as JSON or as a form, and the misbehaviour
 * that its text asks for.
 */
import { createHash, randomBytes } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { Busboy } from "@fastify/busboy";
import type { MediaStudio } from "../media/media-studio.ts";
import { errorBody } from "../openai/error-body.ts";
import { openaiDialect } from "../openai/dialect.ts";
import { parseDirectives, type Directives } from "../parse-directives.ts";
import { readBody } from "../read-body.ts";
import { createReply, type Reply } from "../reply.ts";
import { sendJson } from "../send-json.ts";
import { writeFault } from "../write-answer.ts";

export interface SentFile {
  readonly field: string;
  readonly fileName: string;
  /** It lies there until the request is answered. */
  readonly path: string;
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

export interface MediaCall {
  /** Of a form the last one of a name, as text. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Of a form: every text of a name. */
  all(name: string): readonly string[];
  readonly files: readonly SentFile[];
  readonly directives: Directives;
  readonly reply: Reply;
  readonly requestId: string;
}

/** What the vendor would refuse. */
export class Refusal extends Error {
  readonly status: number;
  readonly param: string | null;
  /** Where the vendor has words of its own. */
  readonly kind: { readonly type: string; readonly code: string } | null;

  constructor(message: string, param: string | null, kind: Refusal["kind"] = null, status = 400) {
    super(message);
    this.status = status;
    this.param = param;
    this.kind = kind;
  }
}

export interface MediaCallDeps {
  readonly studio: MediaStudio;
  /** The field whose text may hold directives. */
  readonly text: "prompt" | "input";
  /** Answers; throws a Refusal. Returns what happened, for the log. */
  answer(call: MediaCall): Promise<string>;
}

export async function serveMediaCall(
  req: IncomingMessage,
  res: ServerResponse,
  deps: MediaCallDeps,
): Promise<string> {
  const files: SentFile[] = [];
  try {
    const form = await readSent(req, deps.studio, files);
    const { fields } = form;
    const model = fieldText(fields, "model", "");
    if (model === "") throw new Refusal("you must provide a model parameter", "model");
    const text = fieldText(fields, deps.text, "");
    const header = req.headers["x-sandbox"];
    const parsed = parseDirectives(typeof header === "string" ? header : "", text, model);
    if (!parsed.ok) throw new Refusal(parsed.message, null);
    const { directives } = parsed;
    const reply = createReply(res, directives);
    await reply.pause(directives.delayMs);
    const requestId = `req_sandbox_${randomBytes(8).toString("hex")}`;
    const fault = await writeFault({ dialect: openaiDialect, reply, directives, requestId });
    if (fault !== null) return `${model} ${fault.status} ${fault.end}`;
    const all = (name: string): readonly string[] => form.texts.get(name) ?? [];
    return await deps.answer({ fields, all, files, directives, reply, requestId });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { status, message, param, kind } = error;
    const body =
      kind === null
        ? errorBody({ status, message, param })
        : { error: { message, param, ...kind } };
    if (!res.headersSent) sendJson(res, status, body);
    return `${status} ${message}`;
  } finally {
    await Promise.all(files.map(({ path }) => rm(path, { force: true })));
  }
}

interface Sent {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly texts: ReadonlyMap<string, readonly string[]>;
}

async function readSent(
  req: IncomingMessage,
  studio: MediaStudio,
  files: SentFile[],
): Promise<Sent> {
  const type = req.headers["content-type"] ?? "";
  if (type.startsWith("multipart/form-data")) return readForm(req, type, studio, files);
  const body = await readBody(req);
  if (body.kind !== "json")
    throw new Refusal("We could not parse the JSON body of your request.", null);
  return { fields: body.value, texts: new Map() };
}

async function readForm(
  req: IncomingMessage,
  type: string,
  studio: MediaStudio,
  files: SentFile[],
): Promise<Sent> {
  const texts = new Map<string, string[]>();
  const writes: Promise<void>[] = [];
  const parser = new Busboy({ headers: { "content-type": type } });
  parser.on("field", (name, value) => texts.set(name, [...(texts.get(name) ?? []), value]));
  parser.on("file", (field, stream, fileName) => {
    const write = async (): Promise<void> => {
      const path = await studio.scratch();
      const hash = createHash("sha256");
      let bytes = 0;
      stream.on("data", (chunk: Buffer) => {
        hash.update(chunk);
        bytes += chunk.length;
      });
      await pipeline(stream, createWriteStream(path));
      files.push({ field, fileName: fileName ?? "", path, bytes, sha256: hash.digest("hex") });
    };
    writes.push(write());
  });
  try {
    await pipeline(req, parser);
  } catch {
    throw new Refusal("Could not parse multipart form", null);
  }
  await Promise.all(writes);
  const fields = Object.fromEntries([...texts].map(([name, values]) => [name, values.at(-1)]));
  return { fields, texts };
}

/** A field as text, in whichever form it came. */
export function fieldText(fields: MediaCall["fields"], name: string, otherwise: string): string {
  const value = fields[name];
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" ? value : otherwise;
}

/** 0 to 15, by a text. */
export function tintOf(text: string): number {
  return (createHash("sha256").update(text).digest()[0] ?? 0) % 16;
}
