/** Chat Completions as the protocol of a caller. */
import type { Assembler, ChatDialect } from "../chat-dialect.ts";
import { renameModel } from "../json/rename-model.ts";
import { createCompletionAssembler } from "./assemble-completion.ts";
import { createChunkWriter, renderChunks } from "./event-writer.ts";
import { createChunkPasser } from "./native-writer.ts";
import { readChatRequest } from "./read-chat-request.ts";
import { renderUsage } from "./read-usage.ts";
import { renderOpenAiErrorEvent } from "./render-error.ts";

function createAssembler(): Assembler {
  const assembler = createCompletionAssembler();
  return {
    add: (event) => assembler.add(event),
    finish(stopped) {
      const completion = assembler.completion(stopped === null ? undefined : "length");
      if (stopped !== null) completion["usage"] = renderUsage(stopped);
      return Buffer.from(JSON.stringify(completion));
    },
  };
}

export const openAiDialect: ChatDialect = {
  endpoint: "chat.completions",
  native: "openai",
  forwarded: { headers: [], query: [] },
  readRequest: readChatRequest,
  createNativeWriter: createChunkPasser,
  renameModel,
  createEventWriter: createChunkWriter,
  createAssembler,
  renderEvents: renderChunks,
  streamEnd: Buffer.from("data: [DONE]\n\n"),
  errorEvent: (fault) => Buffer.from(renderOpenAiErrorEvent(fault)),
  keepAlive: Buffer.from(": keep-alive\n\n"),
};
