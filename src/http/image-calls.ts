/**
 * Requests for images of models of type `image`: through the engine of calls, their results in our
 * storage where their addresses are asked for.
 */
import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { askEdit, askGeneration, imageProtocol } from "../protocol/calls/images.ts";
import type { AskedCall } from "../protocol/calls/call-protocol.ts";
import { isRecord } from "../protocol/json/is-record.ts";
import type { Intake } from "../serving/files/intake.ts";
import { createCallDialect } from "../serving/calls/call-dialects.ts";
import { Fault } from "../kernel/faults.ts";
import { answerByCall, type EngineDeps } from "./answer-by-call.ts";
import type { ImageForm } from "./read-image-form.ts";
import type { Answer, KeyCall } from "./route.ts";

export interface ImageCallDeps extends EngineDeps {
  /** For results that were paid for: no quota refuses them. */
  readonly resultIntake: Intake;
  /** Without a slash at its end. */
  staticUrl(): string;
  onError(what: string, error: unknown): void;
}

export interface ImageCalls {
  generations(call: KeyCall<unknown> & { readonly body: Buffer }): Promise<Answer>;
  /** Its files are discarded when it is over. */
  edits(call: KeyCall<unknown>, form: ImageForm): Promise<Answer>;
}

const RESULT_LIMIT_BYTES = 64 * 1024 * 1024;
const NO_BODY = Buffer.alloc(0);

export function createImageCalls(deps: ImageCallDeps): ImageCalls {
  async function store(owner: KeyCall<unknown>["key"], base64: string): Promise<string> {
    const received = await deps.resultIntake.receive({
      accountId: owner.accountId,
      keyId: owner.keyId,
      origin: "result",
      fileName: null,
      limitBytes: RESULT_LIMIT_BYTES,
      source: Readable.from([Buffer.from(base64, "base64")], { objectMode: false }),
      signal: new AbortController().signal,
    });
    const { name } = await received.commit();
    return `${deps.staticUrl()}/${name}`;
  }

  /** What cannot be stored stays as it came: it was paid for. */
  async function byAddress(call: KeyCall<unknown>, answer: Answer): Promise<Answer> {
    const { content } = answer;
    if (!("bytes" in content)) return answer;
    const body = JSON.parse(content.bytes.toString()) as Record<string, unknown>;
    const images = Array.isArray(body["data"]) ? (body["data"] as readonly unknown[]) : [];
    const data: unknown[] = [];
    for (const image of images) {
      const base64 = isRecord(image) ? image["b64_json"] : undefined;
      if (!isRecord(image) || typeof base64 !== "string") data.push(image);
      else {
        const { b64_json: _, ...rest } = image;
        const url = await store(call.key, base64).catch((error: unknown) => {
          deps.onError("an image that was made could not be stored", error);
          return null;
        });
        data.push(url === null ? image : { ...rest, url });
      }
    }
    const bytes = Buffer.from(JSON.stringify({ ...body, data }));
    return { ...answer, content: { ...content, bytes } };
  }

  async function answered(
    call: KeyCall<unknown>,
    endpoint: "images.generations" | "images.edits",
    body: Buffer,
    read: () => AskedCall,
    format: unknown,
  ): Promise<Answer> {
    const dialect = createCallDialect(imageProtocol(endpoint), () => read());
    const answer = await answerByCall(deps, call, dialect, body);
    return format === "url" ? byAddress(call, answer) : answer;
  }

  return {
    generations: (call) =>
      answered(
        call,
        "images.generations",
        call.body,
        () => askGeneration(call.body),
        formatOf(call.body),
      ),

    async edits(call, form) {
      if (form.kind === "json")
        throw new Fault("invalid_request", {
          message: "This model takes images in a form: multipart/form-data.",
          param: "images",
        });
      const { fields, files } = form;
      const images = files.filter(({ field }) => field === "image").length;
      const sums = files.map(({ field, file }) => [field, file.sha256]);
      const identity = createHash("sha256")
        .update(JSON.stringify([fields, sums]))
        .digest();
      const release = (): void => {
        for (const { file } of files) void file.discard();
      };
      const read = (): AskedCall => {
        if (images === 0)
          throw new Fault("invalid_request", {
            message: "There is no 'image' in the form. Send at least one.",
            param: "image",
          });
        return askEdit({
          fields,
          files: files.map(({ field, file }) => ({
            field: field === "image" && images > 1 ? "image[]" : field,
            fileName: file.fileName,
            contentType: file.contentType,
            bytes: file.bytes,
            open: async () => file.open(),
          })),
          identity,
          release,
        });
      };
      try {
        const format = fields["response_format"];
        const answer = await answered(call, "images.edits", NO_BODY, read, format);
        // Refused before the engine had it, which would let go of the files.
        if ("fault" in answer.content) release();
        return answer;
      } catch (error) {
        release();
        throw error;
      }
    },
  };
}

function formatOf(body: Buffer): unknown {
  try {
    const value: unknown = JSON.parse(body.toString());
    return isRecord(value) ? value["response_format"] : null;
  } catch {
    return null;
  }
}
