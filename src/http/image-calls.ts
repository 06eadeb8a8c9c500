/** Requests for images of models of type `image`: through the engine of calls. */
import { createHash } from "node:crypto";
import { askEdit, askGeneration, imageProtocol } from "../protocol/calls/images.ts";
import type { AskedCall } from "../protocol/calls/call-protocol.ts";
import { createCallDialect } from "../serving/calls/call-dialects.ts";
import { completeImages, type CompleteImagesDeps } from "../serving/calls/complete-images.ts";
import type { ReceiveNamedImage } from "../serving/files/named-images.ts";
import { Fault } from "../kernel/faults.ts";
import { answerByCall, type EngineDeps } from "./answer-by-call.ts";
import type { ImageForm, NamedForm, ReadForm } from "./read-image-form.ts";
import { takeNamedImages } from "./take-named-images.ts";
import type { Answer, KeyCall } from "./route.ts";

export interface ImageCallDeps extends EngineDeps, CompleteImagesDeps {
  receiveNamedImage: ReceiveNamedImage;
}

export interface ImageCalls {
  /** `format`: the `response_format` of its body. */
  generations(call: KeyCall<unknown> & { readonly body: Buffer }, format: unknown): Promise<Answer>;
  /** Its files are discarded when it is over. */
  edits(call: KeyCall<unknown>, form: ImageForm): Promise<Answer>;
  /** The same as it is priced, and nothing of it made; to be released. Throws what is wrong with it. */
  readEdit(call: KeyCall<unknown>, form: ImageForm): Promise<AskedCall>;
}

const NO_BODY = Buffer.alloc(0);

export function createImageCalls(deps: ImageCallDeps): ImageCalls {
  function answered(
    call: KeyCall<unknown>,
    endpoint: "images.generations" | "images.edits",
    { body, read, format }: { body: Buffer; read: () => AskedCall; format: unknown },
  ): Promise<Answer> {
    const { accountId, keyId } = call.key;
    const owner = { accountId, keyId, format: format === "url" ? "url" : "b64_json" } as const;
    const dialect = createCallDialect(imageProtocol(endpoint), read, (answer, by) =>
      completeImages(deps, owner, answer, {
        resultHosts: by.upstream.resultHosts,
        signal: by.signal,
      }),
    );
    return answerByCall(deps, call, dialect, body);
  }

  const named = (call: KeyCall<unknown>, form: NamedForm): Promise<ReadForm> =>
    takeNamedImages(deps, call, form);

  return {
    generations: (call, format) =>
      answered(call, "images.generations", {
        body: call.body,
        read: () => askGeneration(call.body),
        format,
      }),

    async edits(call, form) {
      // A form's have come by now.
      const read = form.kind === "form" ? form : await call.withinGate(() => named(call, form));
      const release = (): void => discard(read);
      try {
        const answer = await answered(call, "images.edits", {
          body: NO_BODY,
          read: () => askSent(read),
          format: read.fields["response_format"],
        });
        // Refused before the engine had it, which would let go of the files.
        if ("fault" in answer.content) release();
        return answer;
      } catch (error) {
        release();
        throw error;
      }
    },

    async readEdit(call, form) {
      const read = form.kind === "form" ? form : await named(call, form);
      try {
        return askSent(read);
      } catch (error) {
        discard(read);
        throw error;
      }
    },
  };
}

function askSent(form: ReadForm): AskedCall {
  const { fields, files } = form;
  const images = files.filter(({ field }) => field === "image").length;
  if (images === 0)
    throw new Fault("invalid_request", {
      message: "There is no 'image' in the form. Send at least one.",
      param: "image",
    });
  const sums = files.map(({ field, file }) => [field, file.sha256]);
  return askEdit({
    fields,
    files: files.map(({ field, file }) => ({
      field: field === "image" && images > 1 ? "image[]" : field,
      fileName: file.fileName,
      contentType: file.contentType,
      bytes: file.bytes,
      open: async () => file.open(),
    })),
    identity: createHash("sha256")
      .update(JSON.stringify([fields, sums]))
      .digest(),
    release: () => discard(form),
  });
}

function discard({ files }: ReadForm): void {
  for (const { file } of files) void file.discard();
}
