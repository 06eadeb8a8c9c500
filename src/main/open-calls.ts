/** Composition of calls that are no chat: one service for every kind, and a raw route for each. */
import {
  mountCalls,
  transcriptDialect,
  type CallMount,
  type MountedCall,
} from "../http/mount-calls.ts";
import type { RawHandler } from "../http/node-server.ts";
import { readCalledAudio } from "../http/read-audio-form.ts";
import { UPLOAD_PACE } from "../http/sender-pace.ts";
import { createImageCalls, type ImageCalls } from "../http/image-calls.ts";
import { CALL_ENDPOINTS_OF } from "../contract/enums/call-endpoint.ts";
import { assert } from "../kernel/assert.ts";
import type { Files } from "./open-files.ts";
import { reportCall } from "../http/report-call.ts";
import type { RequestDone } from "../http/request-log.ts";
import { repeat } from "../process/repeat.ts";
import { JSON_CALLS } from "../protocol/calls/json-calls.ts";
import { countTexts } from "../protocol/count-tokens.ts";
import { callersWith } from "../serving/admission/find-caller.ts";
import { jsonDialect } from "../serving/calls/call-dialects.ts";
import {
  createCallService,
  type CallService,
  type CallServiceDeps,
} from "../serving/calls/serve-call.ts";
import type { Chat, ChatParts } from "./open-chat.ts";

export interface Calls {
  readonly service: CallService;
  /** By path: every kind but images, with nothing else about it but who is asking. */
  routesAt(mount: CallMount): ReadonlyMap<string, RawHandler>;
  /** Of models of type `image`, behind routes of the router. */
  readonly images: ImageCalls;
  close(): Promise<void>;
}

const TICK_MS = 1_000;
const TICK_FAILED = "a tick of calls failed";

/** `chat`: its gate is that of calls, too. */
export function openCalls(
  parts: Omit<ChatParts, "callers"> & Pick<CallServiceDeps, "answerWaitMs">,
  chat: Pick<Chat, "loadShedder">,
  files: Pick<Files, "useCases" | "resultIntake" | "receiveNamedImage">,
): Calls {
  const { env, clock, onError } = parts;
  const reports = reportCall(parts);
  const service = createCallService({
    ...parts,
    health: parts.routing.health,
    places: parts.routing.places,
    loadShedder: chat.loadShedder,
    credential: (name) => env[name],
    countTexts,
    onSuspicion: reports.onSuspicion,
    onDone: reports.onDone,
    onReplayed: reports.onReplayed,
    ...(parts.answerWaitMs === undefined ? {} : { answerWaitMs: parts.answerWaitMs }),
  });
  const ticker = repeat(onError, { [TICK_FAILED]: [TICK_MS, () => service.tick()] });
  const form = { ...files.useCases, clock, pace: UPLOAD_PACE };
  const transcripts = CALL_ENDPOINTS_OF.transcription.map((endpoint): MountedCall => ({
    dialect: transcriptDialect(endpoint, (call) => readCalledAudio(form, call)),
    leavesBody: true,
  }));
  const mounted: readonly MountedCall[] = [
    ...JSON_CALLS.map((protocol) => ({ dialect: jsonDialect(protocol) })),
    ...transcripts,
  ];
  const deps = {
    service,
    clock,
    tracer: parts.tracer,
    clientAddress: parts.clientAddress,
    refusals: parts.refusals,
    takeExtra: reports.takeExtra,
    requestDone: (done: RequestDone) => parts.requestDone(done),
    ...(parts.stalledMs === undefined ? {} : { stalledMs: parts.stalledMs }),
  };
  return {
    service,
    images: createImageCalls({
      ...parts,
      service,
      resultIntake: files.resultIntake,
      receiveNamedImage: (image) => files.receiveNamedImage(image),
      async callerOf(key) {
        const [caller] = await callersWith(parts.db, [key]);
        assert(caller !== undefined, "every key has its caller");
        return caller;
      },
    }),
    routesAt: (mount) => mountCalls(deps, mount, mounted),
    async close() {
      await ticker.stop();
    },
  };
}
