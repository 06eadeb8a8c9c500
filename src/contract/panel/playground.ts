/**
 * The playground: requests of the panel that are made through a key of the account and charged like
 * any other of its requests. The key is named by its hash in the header `x-tollgate-key`. Chat
 * (`POST /panel/api/playground/chat/completions`, `…/messages`) takes and answers what the API
 * does, its streams, headers and errors included; so do calls (`…/embeddings` and its like) and the
 * quotes, but their errors are those of the panel.
 */
import Type from "typebox";
import { Currency, roubles } from "../money.ts";
import { CallQuote, ChatQuote } from "../quote.ts";
import { QuotedRefusal } from "./panel-task.ts";

/**
 * The body of `POST playground/quote/chat/completions` and `…/messages` is that of the request
 * itself.
 */
export const PlaygroundChatQuote = Type.Object({
  ...ChatQuote.properties,
  refusal: Type.Union([QuotedRefusal, Type.Null()]),
});
export type PlaygroundChatQuote = Type.Static<typeof PlaygroundChatQuote>;

/** Of `POST playground/quote/embeddings` and its like. */
export const PlaygroundCallQuote = Type.Object({
  ...CallQuote.properties,
  refusal: Type.Union([QuotedRefusal, Type.Null()]),
});
export type PlaygroundCallQuote = Type.Static<typeof PlaygroundCallQuote>;

/** Of `POST playground/quote/tasks/{model}`, whose body is that of the order. */
export const PlaygroundTaskQuote = Type.Object({
  model: Type.String(),
  amount: roubles("What such a task costs when it is completed."),
  currency: Currency,
  priceVersion: Type.Integer(),
  /** The parameters that were priced, defaults filled in. */
  input: Type.Record(Type.String(), Type.Unknown()),
  available: roubles("What the key can still hold, by its account's balance and its own limit."),
  admitted: Type.Boolean(),
  refusal: Type.Union([QuotedRefusal, Type.Null()]),
});
export type PlaygroundTaskQuote = Type.Static<typeof PlaygroundTaskQuote>;

/**
 * Of `POST playground/tasks/{model}`: a 202. A repetition with the same `idempotency-key` names the
 * same task.
 */
export const PlaygroundTaskOrdered = Type.Object({
  taskId: Type.String(),
  held: roubles("Held from now on, given back if the task fails."),
  replayed: Type.Boolean(),
});
export type PlaygroundTaskOrdered = Type.Static<typeof PlaygroundTaskOrdered>;
