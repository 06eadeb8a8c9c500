/**
 * What a media protocol must bring so that the sandbox speaks it: the shapes of its answers and of
 * its webhooks, nothing about how a task runs.
 */
import type { InputMistake } from "./check-input.ts";
import type { ModelReading } from "./find-model.ts";
import type { JsonObject } from "../is-object.ts";
import type { Task } from "./task.ts";

export interface TaskAnswer {
  readonly status: number;
  readonly body: unknown;
}

export interface Webhook {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface TaskDialect {
  readonly protocol: "kie" | "fal" | "replicate";
  newId(): string;
  /** Null: there is no such model. */
  readModel(id: string, input: JsonObject): ModelReading | null;
  created(task: Task): TaskAnswer;
  /** The answer to a creation with everything in place but the id. */
  withoutId(): unknown;
  rejected(mistakes: readonly InputMistake[]): TaskAnswer;
  /**
   * As the protocol tells a refusal of this code, such as 402 or 429; kie says it with HTTP 200.
   */
  refused(code: number, message: string): TaskAnswer;
  /** The body of an error that comes with an HTTP status. */
  errorBody(status: number, message: string): unknown;
  webhook(task: Task, now: number): Webhook;
}
