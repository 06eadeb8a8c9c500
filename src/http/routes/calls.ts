/**
 * What OpenAPI says about calls that are no chat, which are served on the raw request by
 * chat-route.ts; and their quotes.
 */
import Type from "typebox";
import type { TSchema } from "typebox";
import { Completion, CompletionsRequestBody } from "../../contract/completions.ts";
import { EmbeddingList, EmbeddingsRequestBody } from "../../contract/embeddings.ts";
import { Moderation, ModerationsRequestBody } from "../../contract/moderations.ts";
import { RerankAnswer, RerankRequestBody } from "../../contract/rerank.ts";
import { SpeechRequestBody } from "../../contract/speech.ts";
import {
  Transcript,
  TranscriptionRequestBody,
  TranslationRequestBody,
} from "../../contract/transcription.ts";
import { CHAT_BODY_LIMIT_BYTES } from "../../kernel/limits.ts";
import { JSON_CALLS } from "../../protocol/calls/json-calls.ts";
import type { CallQuote, CallQuoteCall } from "../../serving/calls/quote-call.ts";
import { CALL_QUOTED, callQuoteBody } from "../call-quote-body.ts";
import { bytesRoute, type RawRoute, type Route } from "../route.ts";
import {
  CHAT_COMPLETIONS_RATE_LIMITS,
  CHAT_RESPONSE_HEADERS,
  IDEMPOTENCY_KEY,
} from "./chat-headers.ts";

interface DescribedCall {
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly requestBody: TSchema;
  /** Its media type, where that is not JSON. */
  readonly requestType?: string;
  readonly answer: TSchema;
  /** By media type, where that is not JSON alone. */
  readonly answers?: Readonly<Record<string, TSchema>>;
  /** Of a stream. */
  readonly event?: TSchema;
}

const BYTES = Type.String({ format: "binary", description: "The sound." });
const EVENTS = Type.String({ description: "Events as OpenAI has them." });
const LINES = Type.String({ description: "What was heard: a text, or subtitles." });
const TRANSCRIPTS = {
  "application/json": Transcript,
  "text/plain": LINES,
  "text/vtt": LINES,
};
const FORM = "multipart/form-data";

const MONEY =
  "What it can cost at most is held before the upstream is called, and what it did not cost is released. 402 means that the balance, or the key's own limit, does not cover it.";

const CALLS: readonly DescribedCall[] = [
  {
    path: "/v1/embeddings",
    operationId: "createEmbeddings",
    summary: "Vectors of texts",
    description: `OpenAI's embeddings; official SDKs work as they are. Up to 2,048 inputs at once, texts or token ids; \`dimensions\` and \`encoding_format\` are passed on. ${MONEY}`,
    requestBody: EmbeddingsRequestBody,
    answer: EmbeddingList,
  },
  {
    path: "/v1/rerank",
    operationId: "rerank",
    summary: "Documents ranked for a query",
    description: `As Cohere and Jina shaped it; the price is for a request, or for 1,000 documents. ${MONEY}`,
    requestBody: RerankRequestBody,
    answer: RerankAnswer,
  },
  {
    path: "/v1/moderations",
    operationId: "createModeration",
    summary: "Whether a text may be published",
    description: `OpenAI's moderations. Without \`model\` the first moderation model of the catalogue judges. ${MONEY}`,
    requestBody: ModerationsRequestBody,
    answer: Moderation,
  },
  {
    path: "/v1/completions",
    operationId: "createCompletion",
    summary: "A text goes on, whole or streamed",
    description: `OpenAI's old completions, for autocompletion: \`suffix\`, \`n\`, \`echo\`, \`logprobs\` are passed on. Without \`max_tokens\` a completion has 16 tokens at most. ${MONEY}`,
    requestBody: CompletionsRequestBody,
    answer: Completion,
    event: Completion,
  },
  {
    path: "/v1/audio/speech",
    operationId: "createSpeech",
    summary: "A text, spoken",
    description: `OpenAI's speech; official SDKs work as they are. The sound goes out while it is made. The price is for the characters of \`input\` and known before, in \`x-tollgate-cost\`: a sound that breaks off costs all of it, because how much of it was spoken cannot be told, one that never began nothing. ${MONEY}`,
    requestBody: SpeechRequestBody,
    answer: BYTES,
    answers: {
      "audio/mpeg": BYTES,
      "audio/opus": BYTES,
      "audio/aac": BYTES,
      "audio/flac": BYTES,
      "audio/wav": BYTES,
      "audio/pcm": BYTES,
    },
    event: EVENTS,
  },
  {
    path: "/v1/audio/transcriptions",
    operationId: "createTranscription",
    summary: "What is heard in a sound",
    description: `OpenAI's transcriptions; official SDKs work as they are, in every \`response_format\` that the model's upstream has, and with \`stream\`. The file is measured before anything is held, forgotten when the answer is out, and paid for by its length, or by tokens. ${MONEY}`,
    requestBody: TranscriptionRequestBody,
    requestType: FORM,
    answer: Transcript,
    answers: TRANSCRIPTS,
    event: EVENTS,
  },
  {
    path: "/v1/audio/translations",
    operationId: "createTranslation",
    summary: "What is heard in a sound, in English",
    description: `As transcriptions, whole. ${MONEY}`,
    requestBody: TranslationRequestBody,
    requestType: FORM,
    answer: Transcript,
    answers: TRANSCRIPTS,
  },
];

export const callRoutes: readonly RawRoute[] = CALLS.map(
  ({ path, answer, answers, event, ...doc }): RawRoute => ({
    method: "POST",
    path,
    access: "raw",
    doc: {
      ...doc,
      tag: "Calls",
      headers: IDEMPOTENCY_KEY,
      responses: {
        200: {
          description: "The answer.",
          content: {
            ...(answers ?? { "application/json": answer }),
            ...(event === undefined ? {} : { "text/event-stream": event }),
          },
        },
      },
      responseHeaders: { ...CHAT_RESPONSE_HEADERS, ...CHAT_COMPLETIONS_RATE_LIMITS },
      errors: [400, 401, 402, 403, 404, 408, 409, 410, 413, 415, 429, 502, 503, 504],
    },
  }),
);

export interface CallQuoteRouteDeps {
  /** Throws what the request itself would be refused with before its hold. */
  quoteCall(call: CallQuoteCall): Promise<CallQuote>;
  /** Who asks are pages, which get the panel's refusal in the quote. */
  readonly forPages?: true;
}

export const CALL_QUOTE_DESCRIPTION =
  "Takes the body that the request would have, holds nothing, charges nothing and calls nobody. Where only the money is missing the answer is a quote with `admitted: false` and the words of the refusal.";

export function callQuoteRoutes(deps: CallQuoteRouteDeps): Route[] {
  return JSON_CALLS.flatMap((protocol) => {
    const call = CALLS.find(({ path }) => path === `/v1${protocol.path}`);
    if (call === undefined) return [];
    const { operationId, requestBody } = call;
    return [
      bytesRoute({
        method: "POST",
        path: `/v1/quote${protocol.path}`,
        bodyLimitBytes: CHAT_BODY_LIMIT_BYTES,
        doc: {
          operationId: `quote${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}`,
          summary: `What that would hold and cost: ${protocol.path}`,
          description: CALL_QUOTE_DESCRIPTION,
          tag: "Calls",
          requestBody,
          responses: CALL_QUOTED,
          errors: [400, 401, 403, 404, 408, 413, 415],
        },
        async handle({ key, body, clientAddress: ip }) {
          const { endpoint } = protocol;
          const asked = protocol.read(body);
          const quote = await deps.quoteCall({ endpoint, key, ip, asked });
          return { content: { json: callQuoteBody(quote, deps.forPages === true) } };
        },
      }),
    ];
  });
}
