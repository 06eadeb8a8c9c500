/**
 * `POST /v1/quote/images/…` and `POST /v1/quote/audio/…` of forms: what such a request would hold
 * and cost, with the very body that it would be made with; nothing is charged, and nothing kept.
 */
import type { TSchema } from "typebox";
import { ImageEditRequestBody, ImageGenerationRequestBody } from "../../contract/images.ts";
import type { ImageEndpoint } from "../../contract/tasks/image-maps.ts";
import { TranscriptionRequestBody, TranslationRequestBody } from "../../contract/transcription.ts";
import { toFault } from "../../kernel/faults.ts";
import { JSON_BODY_LIMIT_BYTES } from "../../kernel/limits.ts";
import type { AskedCall } from "../../protocol/calls/call-protocol.ts";
import { askGeneration } from "../../protocol/calls/images.ts";
import { askTranscript, type TranscriptEndpoint } from "../../protocol/calls/transcription.ts";
import { quoteTask, type QuoteDeps } from "../../serving/tasks/quote-task.ts";
import { CALL_QUOTED, callQuoteBody, orderQuoteBody } from "../call-quote-body.ts";
import {
  generationOrder,
  inOpenAiWords,
  readFields,
  withEditOrder,
  type ImageOrder,
} from "../image-order.ts";
import { readAudioForm, readFormBoundary } from "../read-audio-form.ts";
import { checkImageFormHead, readImageForm } from "../read-image-form.ts";
import { checkJsonType } from "../read-json-body.ts";
import type { Answer, IncomingBody, KeyCall, Route } from "../route.ts";
import { bytesRoute, streamedRoute } from "../route.ts";
import { CALL_QUOTE_DESCRIPTION, type CallQuoteRouteDeps } from "./calls.ts";
import { imageCallsOf, type ImagesRouteDeps } from "./images.ts";

export type MediaQuoteRouteDeps = CallQuoteRouteDeps &
  Pick<ImagesRouteDeps, "useCases" | "clock" | "pace" | "imageCalls"> & {
    readonly tasks: ImagesRouteDeps["tasks"] & QuoteDeps;
  };

type FormCall = KeyCall<unknown> & { readonly body: IncomingBody };

const FORM = "multipart/form-data";
const ERRORS = [400, 401, 403, 404, 408, 413, 415, 429, 503, 507];
const FORM_DESCRIPTION = `${CALL_QUOTE_DESCRIPTION} The files of the form are measured and forgotten.`;

export function mediaQuoteRoutes(deps: MediaQuoteRouteDeps): Route[] {
  const audio = (endpoint: TranscriptEndpoint, path: string, body: TSchema, name: string): Route =>
    streamedRoute({
      method: "POST",
      path: `/v1/quote${path}`,
      doc: {
        operationId: `quote${name}`,
        summary: `What that would hold and cost: ${path}`,
        description: FORM_DESCRIPTION,
        tag: "Calls",
        requestBody: body,
        requestType: FORM,
        responses: CALL_QUOTED,
        errors: ERRORS,
      },
      streamed: { checkHead: (headers) => void readFormBoundary(headers["content-type"]) },
      handle: async (call) =>
        quoteAsked(deps, call, endpoint, await readSound(deps, call, endpoint)),
    });
  return [
    bytesRoute({
      method: "POST",
      path: "/v1/quote/images/generations",
      bodyLimitBytes: JSON_BODY_LIMIT_BYTES,
      doc: {
        operationId: "quoteGenerateImages",
        summary: "What that would hold and cost: /images/generations",
        description: CALL_QUOTE_DESCRIPTION,
        tag: "Images",
        requestBody: ImageGenerationRequestBody,
        responses: CALL_QUOTED,
        errors: [400, 401, 403, 404, 408, 413, 415],
      },
      async handle(call) {
        checkJsonType(call.headers);
        const fields = readFields(call.body);
        return imageCallsOf(deps, fields["model"]) === null
          ? quoteOrder(deps, call, generationOrder(deps, fields, call.body))
          : quoteAsked(deps, call, "images.generations", askGeneration(call.body));
      },
    }),
    streamedRoute({
      method: "POST",
      path: "/v1/quote/images/edits",
      doc: {
        operationId: "quoteEditImages",
        summary: "What that would hold and cost: /images/edits",
        description: FORM_DESCRIPTION,
        tag: "Images",
        requestBody: ImageEditRequestBody,
        requestType: FORM,
        responses: CALL_QUOTED,
        errors: ERRORS,
      },
      streamed: { checkHead: checkImageFormHead },
      async handle(call) {
        const form = await readImageForm(intakeOf(deps), call.key, call.headers, call.body);
        const calls = imageCallsOf(deps, form.fields["model"]);
        return calls === null
          ? withEditOrder(deps, call.key, form, (order) => quoteOrder(deps, call, order))
          : quoteAsked(deps, call, "images.edits", await calls.readEdit(call, form));
      },
    }),
    audio(
      "audio.transcriptions",
      "/audio/transcriptions",
      TranscriptionRequestBody,
      "CreateTranscription",
    ),
    audio("audio.translations", "/audio/translations", TranslationRequestBody, "CreateTranslation"),
  ];
}

async function quoteAsked(
  deps: CallQuoteRouteDeps,
  { key, clientAddress: ip }: KeyCall<unknown>,
  endpoint: ImageEndpoint | TranscriptEndpoint,
  asked: AskedCall,
): Promise<Answer> {
  const quote = await deps.quoteCall({ endpoint, key, ip, asked });
  return { content: { json: callQuoteBody(quote, deps.forPages === true) } };
}

async function quoteOrder(
  { tasks, forPages }: Pick<MediaQuoteRouteDeps, "tasks" | "forPages">,
  { key, clientAddress: ip }: KeyCall<unknown>,
  { endpoint, model, body, images }: ImageOrder,
): Promise<Answer> {
  try {
    const quoted = await quoteTask(tasks, { key, ip, model, body, callbackUrl: null });
    return { content: { json: orderQuoteBody(endpoint, quoted, forPages === true) } };
  } catch (error) {
    throw inOpenAiWords(toFault(error), images);
  }
}

async function readSound(
  deps: MediaQuoteRouteDeps,
  { key, body }: FormCall,
  endpoint: TranscriptEndpoint,
): Promise<AskedCall> {
  body.begin();
  const { request, signal } = body;
  const sound = await readAudioForm(intakeOf(deps), { request, key, signal });
  try {
    return askTranscript(endpoint, sound);
  } catch (error) {
    sound.release();
    throw error;
  }
}

function intakeOf({
  useCases,
  clock,
  pace,
}: MediaQuoteRouteDeps): Parameters<typeof readImageForm>[0] {
  return { clock, pace, receiveFormFile: (file) => useCases.receiveFormFile(file) };
}
