/** The Responses protocol as that of a caller. */
import type { ChatDialect } from "../chat-dialect.ts";
import { putMember } from "../json/put-member.ts";
import { renameModel } from "../json/rename-model.ts";
import { createResponseAssembler } from "./assemble-response.ts";
import { createResponseWriter } from "./event-writer.ts";
import { endsInFailure } from "./failure-end.ts";
import { createResponsePasser, ownMembers } from "./native-writer.ts";
import { patchResponse } from "./patch-response.ts";
import { readResponsesRequest, readResponsesRequestInSlices } from "./read-responses-request.ts";
import { renderResponseEvents } from "./render-events.ts";
import { shownResponsesUsage } from "./shown-usage.ts";

const NOTHING = Buffer.alloc(0);

export const responsesDialect: ChatDialect = {
  endpoint: "responses",
  native: "responses",
  forwarded: { headers: [], query: [] },
  repeatsRequest: true,
  readRequest: readResponsesRequest,
  readRequestInSlices: readResponsesRequestInSlices,
  createNativeWriter: createResponsePasser,
  renameModel,
  ownAnswer: (body, identity) => patchResponse(body, ownMembers(identity)),
  showUsage(body, reported, usage) {
    const shown = shownResponsesUsage(reported, usage);
    return shown === null ? body : putMember(body, "usage", JSON.stringify(shown));
  },
  createEventWriter: createResponseWriter,
  createAssembler: createResponseAssembler,
  renderEvents: renderResponseEvents,
  streamEnd: Buffer.alloc(0),
  errorEvent: (fault, _requestId, writer) => writer.failed?.(fault) ?? NOTHING,
  endsInFailure,
  keepAlive: Buffer.from(": keep-alive\n\n"),
};
