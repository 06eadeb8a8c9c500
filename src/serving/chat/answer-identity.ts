/**
 * What the answer of a run says of itself where its upstream said nothing, or must not be quoted.
 */
import type { AnswerIdentity } from "../../protocol/chat-dialect.ts";
import type { ChatRun } from "./chat-run.ts";

export function identityOf(run: ChatRun, includeUsage: boolean): AnswerIdentity {
  return {
    requestId: run.call.requestId,
    created: Math.floor(run.call.startedAt.getTime() / 1000),
    model: run.model.id,
    answerModel: run.answerModel,
    promptTokens: Math.min(run.request.usualTokens, run.model.contextTokens),
    includeUsage,
  };
}
