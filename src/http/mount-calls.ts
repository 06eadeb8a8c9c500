/**
 * The raw routes of calls that are no chat, one for each endpoint, wherever they are mounted: in the
 * API or the panel.
 */
import type { IncomingHttpHeaders } from "node:http";
import { formatRequestId } from "../kernel/ids.ts";
import { tellEnd } from "../serving/chat/chat-call.ts";
import type { CallService } from "../serving/calls/serve-call.ts";
import type { Caller } from "../serving/admission/find-caller.ts";
import {
  askTranscript,
  transcriptProtocol,
  type SentSound,
  type TranscriptEndpoint,
} from "../protocol/calls/transcription.ts";
import { createCallDialect } from "../serving/calls/call-dialects.ts";
import type { CallDialect, CallRequest } from "../serving/calls/call-request.ts";
import { createChatRoute } from "./chat-route.ts";
import { renderFault, type ErrorFamily } from "./error-family.ts";
import type { RawHandler } from "./node-server.ts";
import { rateLimitHeaders } from "./rate-limit-headers.ts";
import { reportDone } from "./report-raw-done.ts";
import type { CallReports } from "./report-call.ts";
import type { RequestDone } from "./request-log.ts";

type CallRouteDeps = Parameters<typeof createChatRoute<CallDialect>>[0];

export interface CallMountDeps extends Pick<
  CallRouteDeps,
  "clock" | "tracer" | "clientAddress" | "refusals" | "stalledMs"
> {
  readonly service: Pick<CallService, "refusal" | "serve">;
  readonly takeExtra: CallReports["takeExtra"];
  requestDone(done: RequestDone): void;
}

/** Where calls are answered, and whom they are answered to. */
export interface CallMount {
  /** Before `/embeddings` and its like. */
  readonly prefix: string;
  /** In whose form refusals are. */
  readonly errors: Extract<ErrorFamily, "openai" | "panel">;
  /** Throws the fault that refuses the caller. `fresh`: as a chat route asks for it. */
  authenticate(headers: IncomingHttpHeaders, fresh: boolean): Caller | Promise<Caller>;
}

/** Of a form with a sound, which goes into the storage while it comes. */
export function transcriptDialect(
  endpoint: TranscriptEndpoint,
  read: (call: CallRequest) => Promise<SentSound>,
): CallDialect {
  return createCallDialect(transcriptProtocol(endpoint), async (call) => {
    const sound = await read(call);
    try {
      return askTranscript(endpoint, sound);
    } catch (error) {
      sound.release();
      throw error;
    }
  });
}

/** `leavesBody`: the dialect reads the body as it comes. */
export interface MountedCall {
  readonly dialect: CallDialect;
  readonly leavesBody?: true;
}

/** By path. */
export function mountCalls(
  { takeExtra, requestDone, service, ...deps }: CallMountDeps,
  { prefix, errors, authenticate }: CallMount,
  mounted: readonly MountedCall[],
): ReadonlyMap<string, RawHandler> {
  return new Map(
    mounted.map(({ dialect, leavesBody }) => {
      const route = prefix + dialect.protocol.path;
      const handler = createChatRoute({
        ...deps,
        service: {
          refusal: () => service.refusal(),
          begin: (call, ending) => tellEnd(ending, service.serve(call)),
        },
        path: route,
        dialect,
        authenticate,
        ...(leavesBody === undefined ? {} : { leavesBody }),
        renderError: (fault, requestId) => renderFault(errors, fault, formatRequestId(requestId)),
        renderStanding: (standing) => rateLimitHeaders(errors, standing, false),
        onDone: reportDone({ clock: deps.clock, requestDone, takeExtra }, route),
      });
      return [route, handler];
    }),
  );
}
