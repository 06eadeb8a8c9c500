/**
 * Images of a task as the events of OpenAI's streams: comments while it is made, then each image as
 * one that is completed. A task has no partial ones.
 */
import { Readable } from "node:stream";
import type { ImageEndpoint } from "../contract/tasks/image-maps.ts";
import { toFault, type Fault } from "../kernel/faults.ts";
import { KEEP_ALIVE_MS } from "../kernel/limits.ts";
import { openAiDialect } from "../protocol/openai/dialect.ts";
import { renderOpenAiErrorEvent } from "../protocol/openai/render-error.ts";
import type { FileReader } from "../serving/files/open-file.ts";
import type { TaskView } from "../serving/tasks/task-view.ts";
import { base64OfImage, factsOfImage } from "./answer-images.ts";
import { nextOrSilence } from "./next-or-silence.ts";
import type { AnswerContent } from "./route.ts";

const KINDS: Readonly<Record<ImageEndpoint, string>> = {
  "images.generations": "image_generation",
  "images.edits": "image_edit",
};
/** Clients read them of each event; a task is not paid for by tokens. */
const NO_TOKENS = {
  total_tokens: 0,
  input_tokens: 0,
  output_tokens: 0,
  input_tokens_details: { text_tokens: 0, image_tokens: 0 },
};

export interface StreamedImages {
  readonly endpoint: ImageEndpoint;
  /** The task when it is completed; rejects with the fault that is told in its place. */
  wait(): Promise<TaskView>;
  /** In the words of the endpoint. */
  inWords(fault: Fault): Fault;
}

/** An error is the last event of its stream; what the files cannot give breaks it off. */
export function imageEvents(
  files: Pick<FileReader, "readFile">,
  { endpoint, wait, inWords }: StreamedImages,
): AnswerContent {
  async function* written(): AsyncGenerator<Buffer | string> {
    yield openAiDialect.keepAlive;
    let task: TaskView;
    try {
      const made = wait();
      for (;;) {
        const next = await nextOrSilence(made, KEEP_ALIVE_MS);
        if (next !== "silence") {
          task = next;
          break;
        }
        yield openAiDialect.keepAlive;
      }
    } catch (error) {
      yield renderOpenAiErrorEvent(inWords(toFault(error)));
      return;
    }
    const type = `${KINDS[endpoint]}.completed`;
    const created = Math.floor(Date.parse(task.completedAt ?? task.createdAt) / 1000);
    for (const image of task.result?.files ?? []) {
      const facts = { size: "auto", quality: "auto", background: "auto", ...factsOfImage(image) };
      const rest = JSON.stringify({ created_at: created, ...facts, usage: NO_TOKENS });
      yield `event: ${type}\ndata: {"type":"${type}","b64_json":"`;
      yield* base64OfImage(files, image);
      yield `",${rest.slice(1)}\n\n`;
    }
  }
  return {
    contentType: "text/event-stream; charset=utf-8",
    sizeBytes: null,
    open: async () => Readable.from(written(), { objectMode: false }),
  };
}
