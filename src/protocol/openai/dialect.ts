/** Chat Completions as the protocol of a caller. */
import type { ChatDialect } from "../chat-dialect.ts";
import { putMember } from "../json/put-member.ts";
import { renameModel } from "../json/rename-model.ts";
import { createChunkAssembler } from "./create-assembler.ts";
import { createChunkWriter, renderChunks } from "./event-writer.ts";
import { createChunkPasser } from "./native-writer.ts";
import { readChatRequest, readChatRequestInSlices } from "./read-chat-request.ts";
import { renderOpenAiErrorEvent } from "./render-error.ts";
import { shownUsage } from "./shown-usage.ts";

export const openAiDialect: ChatDialect = {
  endpoint: "chat.completions",
  native: "openai",
  forwarded: { headers: [], query: [] },
  readRequest: readChatRequest,
  readRequestInSlices: readChatRequestInSlices,
  createNativeWriter: createChunkPasser,
  renameModel,
  showUsage(body, reported, usage) {
    const shown = shownUsage(reported, usage);
    return shown === null ? body : putMember(body, "usage", JSON.stringify(shown));
  },
  createEventWriter: createChunkWriter,
  createAssembler: createChunkAssembler,
  renderEvents: renderChunks,
  streamEnd: Buffer.from("data: [DONE]\n\n"),
  errorEvent: (fault) => Buffer.from(renderOpenAiErrorEvent(fault)),
  keepAlive: Buffer.from(": keep-alive\n\n"),
};
