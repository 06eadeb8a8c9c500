/** Routes of the playground for calls that are no chat: each like one of the API, and its quote. */
import { Completion, CompletionsRequestBody } from "../../completions.ts";
import { EmbeddingList, EmbeddingsRequestBody } from "../../embeddings.ts";
import { ImageEditRequestBody, ImageGenerationRequestBody, ImagesAnswer } from "../../images.ts";
import { Moderation, ModerationsRequestBody } from "../../moderations.ts";
import { RerankAnswer, RerankRequestBody } from "../../rerank.ts";
import { SpeechRequestBody } from "../../speech.ts";
import {
  Transcript,
  TranscriptionRequestBody,
  TranslationRequestBody,
} from "../../transcription.ts";
import { PlaygroundCallQuote } from "../playground.ts";
import type { PanelRouteTable } from "./panel-route.ts";
import { PAYER, QUOTE } from "./playground-routes.ts";

const FORM = "multipart/form-data";

const CALL_QUOTE = { ...QUOTE, answer: PlaygroundCallQuote } as const;

export const PLAYGROUND_CALL_ROUTES = {
  "POST /playground/embeddings": {
    summary: "Vectors of texts, as `POST /v1/embeddings`",
    headers: PAYER,
    rawBody: { schema: EmbeddingsRequestBody },
    answer: EmbeddingList,
  },
  "POST /playground/rerank": {
    summary: "Documents ranked, as `POST /v1/rerank`",
    headers: PAYER,
    rawBody: { schema: RerankRequestBody },
    answer: RerankAnswer,
  },
  "POST /playground/moderations": {
    summary: "Texts judged, as `POST /v1/moderations`",
    headers: PAYER,
    rawBody: { schema: ModerationsRequestBody },
    answer: Moderation,
  },
  "POST /playground/completions": {
    summary: "A text that goes on, as `POST /v1/completions`",
    headers: PAYER,
    rawBody: { schema: CompletionsRequestBody },
    answer: Completion,
    streamed: "text/event-stream",
  },
  "POST /playground/images/generations": {
    summary: "Images of a prompt, as `POST /v1/images/generations`",
    headers: PAYER,
    rawBody: { schema: ImageGenerationRequestBody },
    answer: ImagesAnswer,
    streamed: "text/event-stream",
  },
  "POST /playground/images/edits": {
    summary: "Images of images, as `POST /v1/images/edits`",
    headers: PAYER,
    rawBody: { schema: ImageEditRequestBody, type: FORM },
    answer: ImagesAnswer,
    streamed: "text/event-stream",
  },
  "POST /playground/audio/speech": {
    summary: "A text, spoken, as `POST /v1/audio/speech`",
    headers: PAYER,
    rawBody: { schema: SpeechRequestBody },
    content: "audio/mpeg",
  },
  "POST /playground/audio/transcriptions": {
    summary: "What is heard in a sound, as `POST /v1/audio/transcriptions`",
    headers: PAYER,
    rawBody: { schema: TranscriptionRequestBody, type: FORM },
    answer: Transcript,
    streamed: "text/event-stream",
  },
  "POST /playground/audio/translations": {
    summary: "The same in English, as `POST /v1/audio/translations`",
    headers: PAYER,
    rawBody: { schema: TranslationRequestBody, type: FORM },
    answer: Transcript,
  },
  "POST /playground/quote/embeddings": {
    ...CALL_QUOTE,
    rawBody: { schema: EmbeddingsRequestBody },
  },
  "POST /playground/quote/rerank": { ...CALL_QUOTE, rawBody: { schema: RerankRequestBody } },
  "POST /playground/quote/moderations": {
    ...CALL_QUOTE,
    rawBody: { schema: ModerationsRequestBody },
  },
  "POST /playground/quote/completions": {
    ...CALL_QUOTE,
    rawBody: { schema: CompletionsRequestBody },
  },
  "POST /playground/quote/images/generations": {
    ...CALL_QUOTE,
    rawBody: { schema: ImageGenerationRequestBody },
  },
  "POST /playground/quote/images/edits": {
    ...CALL_QUOTE,
    rawBody: { schema: ImageEditRequestBody, type: FORM },
  },
  "POST /playground/quote/audio/speech": { ...CALL_QUOTE, rawBody: { schema: SpeechRequestBody } },
  "POST /playground/quote/audio/transcriptions": {
    ...CALL_QUOTE,
    rawBody: { schema: TranscriptionRequestBody, type: FORM },
  },
  "POST /playground/quote/audio/translations": {
    ...CALL_QUOTE,
    rawBody: { schema: TranslationRequestBody, type: FORM },
  },
} as const satisfies PanelRouteTable;
