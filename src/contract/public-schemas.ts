/** Every public body by the name that it has in `/openapi.json`. A new body is a line here. */
import type { TSchema } from "typebox";
import { Balance } from "./balance.ts";
import { ChatCompletion, ChatCompletionChunk, ChatToolCall, ChatUsage } from "./chat-completion.ts";
import { ChatRequestBody } from "./chat-request.ts";
import { Completion, CompletionsRequestBody } from "./completions.ts";
import { EmbeddingList, EmbeddingsRequestBody } from "./embeddings.ts";
import { AnthropicErrorBody, OpenAiErrorBody, TaskErrorBody } from "./error-bodies.ts";
import { Health, Readiness } from "./health.ts";
import { ImageEditRequestBody, ImageGenerationRequestBody, ImagesAnswer } from "./images.ts";
import { Key } from "./key.ts";
import { ContentBlock, Message, MessageEvent, MessageTokens, MessageUsage } from "./message.ts";
import { Moderation, ModerationsRequestBody } from "./moderations.ts";
import { CountTokensRequestBody, MessagesRequestBody } from "./messages-request.ts";
import {
  AnthropicModel,
  AnthropicModelList,
  ModelPrice,
  OpenAiModel,
  OpenAiModelList,
} from "./model-list.ts";
import { CallQuote, ChatQuote } from "./quote.ts";
import { RerankAnswer, RerankRequestBody } from "./rerank.ts";
import { Receipt, ReceiptList } from "./receipt.ts";
import {
  Task,
  TaskCancellation,
  TaskCreated,
  TaskDeliveries,
  TaskList,
  TaskQuote,
  TaskRequestBody,
  TaskWebhook,
} from "./task.ts";
import { SpeechRequestBody } from "./speech.ts";
import { Transcript, TranscriptionRequestBody, TranslationRequestBody } from "./transcription.ts";
import { TASK_SCHEMAS } from "./tasks/task-schema.ts";
import { DeletedFile, StoredFile, StoredFileList, UploadRequestBody } from "./stored-file.ts";

export const PUBLIC_SCHEMAS = {
  SpeechRequest: SpeechRequestBody,
  TranscriptionRequest: TranscriptionRequestBody,
  TranslationRequest: TranslationRequestBody,
  Transcript,
  ChatCompletionRequest: ChatRequestBody,
  ChatCompletion,
  ChatCompletionChunk,
  ChatToolCall,
  ChatUsage,
  MessagesRequest: MessagesRequestBody,
  Message,
  MessageEvent,
  ContentBlock,
  MessageUsage,
  CountTokensRequest: CountTokensRequestBody,
  MessageTokens,
  EmbeddingsRequest: EmbeddingsRequestBody,
  EmbeddingList,
  RerankRequest: RerankRequestBody,
  RerankAnswer,
  ModerationsRequest: ModerationsRequestBody,
  Moderation,
  CompletionsRequest: CompletionsRequestBody,
  Completion,
  OpenAiError: OpenAiErrorBody,
  AnthropicError: AnthropicErrorBody,
  TaskError: TaskErrorBody,
  ModelPrice,
  OpenAiModel,
  OpenAiModelList,
  AnthropicModel,
  AnthropicModelList,
  Balance,
  Key,
  Receipt,
  ReceiptList,
  ChatQuote,
  ImageGenerationRequest: ImageGenerationRequestBody,
  ImageEditRequest: ImageEditRequestBody,
  ImagesAnswer,
  CallQuote,
  ...TASK_SCHEMAS,
  TaskRequest: TaskRequestBody,
  TaskCreated,
  Task,
  TaskList,
  TaskCancellation,
  TaskQuote,
  TaskWebhook,
  TaskDeliveries,
  UploadRequest: UploadRequestBody,
  StoredFile,
  StoredFileList,
  DeletedFile,
  Health,
  Readiness,
} as const satisfies Record<string, TSchema>;
