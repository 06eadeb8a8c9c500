/** The Messages protocol as that of a caller. */
import type { ChatDialect } from "../chat-dialect.ts";
import { putMember } from "../json/put-member.ts";
import { renameModel } from "../json/rename-model.ts";
import { createMessageAssembler } from "./assemble-message.ts";
import { createMessagesWriter } from "./event-writer.ts";
import { createMessagesNativeWriter } from "./native-writer.ts";
import { readMessagesRequest, readMessagesRequestInSlices } from "./read-messages-request.ts";
import { renderAnthropicErrorEvent } from "./render-error.ts";
import { renderMessageEvents } from "./render-events.ts";
import { shownMessagesUsage } from "./shown-usage.ts";

export const anthropicDialect: ChatDialect = {
  endpoint: "messages",
  native: "anthropic",
  forwarded: { headers: ["anthropic-version", "anthropic-beta"], query: ["beta"] },
  readRequest: readMessagesRequest,
  readRequestInSlices: readMessagesRequestInSlices,
  createNativeWriter: createMessagesNativeWriter,
  renameModel,
  showUsage(body, reported, usage) {
    const shown = shownMessagesUsage(reported, usage);
    return shown === null ? body : putMember(body, "usage", JSON.stringify(shown));
  },
  createEventWriter: createMessagesWriter,
  createAssembler: createMessageAssembler,
  renderEvents: renderMessageEvents,
  streamEnd: Buffer.alloc(0),
  errorEvent: (fault, requestId) => Buffer.from(renderAnthropicErrorEvent(fault, requestId)),
  keepAlive: Buffer.from('event: ping\ndata: {"type": "ping"}\n\n'),
};
