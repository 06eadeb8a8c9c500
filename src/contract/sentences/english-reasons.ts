/** Why an upstream was passed over, failed or was not believed, in English: by the code. */
import type { ReasonSentences } from "../operator/upstream-reason.ts";
import { ENGLISH_TASK_REASONS } from "./english-task-reasons.ts";

const times = (runs: number): string => (runs === 1 ? "" : `${runs} times `);

export const ENGLISH_REASONS: ReasonSentences = {
  ...ENGLISH_TASK_REASONS,
  cooldown: () => "it rests after failures",
  circuit_open: () => "its circuit is open",
  taken_out: () => "an operator took it out",
  credentials_refused: () => "its credentials were refused a moment ago",
  places_taken: () => "every place is taken",
  no_credential: ({ upstream, names }) => `no credential of ${upstream} is set (${names})`,
  status: ({ status, words }) => `status ${status}: ${words}`,
  error_frame: ({ words }) => `error frame: ${words}`,
  transport: ({ trouble, words }) => `${trouble}: ${words}`,
  answer_not_json: () => "the answer is not JSON",
  no_answer: ({ expected }) => `the answer is not a ${expected}`,
  no_choice: () => "the answer has no choice",
  answer_too_large: ({ limitBytes }, { count }) =>
    `the answer is larger than ${count(limitBytes)} bytes`,
  stream_not_json: () => "the stream carries something that is not JSON",
  stream_without_words: () => "the stream ended before it said anything",
  stream_long_without_words: () => "the stream is long and says nothing",
  stream_without_end: () => "the upstream ended the stream without a finish reason",
  event_not_json: () => "an event of the stream is not JSON",
  event_no_object: () => "an event of the stream is not a JSON object",
  event_without_type: () => "an event of the stream has no type",
  second_message: () => "the stream begins a second message",
  end_without_message: () => "the stream ends a message that it has not begun",
  input_above_window: ({ tokens, limit, runs }, { count }) =>
    `input of ${count(tokens)} tokens is above ${times(runs)}the context window of ${count(limit)}`,
  output_above_limit: ({ tokens, limit, runs }, { count }) =>
    `output of ${count(tokens)} tokens is above ${times(runs)}the limit of ${count(limit)}`,
  count_not_whole: () => "a token count is not a whole number from zero up",
  counts_do_not_fit: () => "the token counts do not fit",
  total_alone: () => "only total_tokens is given",
  usage_no_object: () => "usage is not an object",
};
