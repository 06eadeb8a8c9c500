/** Why a task was not submitted, not finished or has no files, in English: by the code. */
import type { SentencesOf } from "../operator/upstream-reason.ts";
import type { TaskReasons } from "../operator/task-reason.ts";

const after = (words: string): string => (words === "" ? "" : `: ${words}`);

export const ENGLISH_TASK_REASONS: SentencesOf<TaskReasons> = {
  api_not_described: () => "the upstream's API is not described",
  takes_no_tasks: () => "it does not take tasks",
  no_upstream_left: () => "no upstream is left that could be asked",
  upstream_gone: ({ upstream }) => `the catalogue has no upstream ${upstream} for tasks any more`,
  credential_not_set: ({ name }) => `the credential ${name} is not set`,
  credential_unfit: () => "the credential is empty, or cannot stand in a header",
  call_without_address: ({ template }) =>
    `there is no address for the call: "${template}" has a place without a value`,
  model_without_place: ({ model, parameter }) =>
    `the route's model "${model}" has no place {${parameter}}, which decides which model runs`,
  model_not_filled: ({ model }) =>
    `the route's model "${model}" has a place that no parameter of the task fills`,
  constant_without_place: ({ pointer }) => `there is no place for the constant "${pointer}"`,
  body_constant_taken: () => "a constant of the body stands where the parameters already stand",
  parameter_without_form: ({ parameter, form }) =>
    `the parameter "${parameter}" cannot be sent: no ${form} can be made of it`,
  parameter_without_place: ({ parameter, pointer }) =>
    `the parameter "${parameter}" cannot be sent: there is no place for it at "${pointer}"`,
  stopped_unsent: () => "stopped before it was sent",
  stopped: () => "stopped",
  // As it is counted, in whole milliseconds: logs are searched by it.
  answer_too_slow: ({ limitMs }, { count }) => `no whole answer in ${count(limitMs)} ms`,
  status_alone: ({ status }) => `status ${status}`,
  status_not_json: ({ status }) => `status ${status}: no JSON`,
  success_without_id: ({ status }) => `status ${status}: a success without an id`,
  no_state: () => "the answer has no state",
  state_not_known: ({ state }) => `the state "${state}" is not known`,
  made_nothing: ({ words }) => words,
  success_without_file: ({ words }) => `a success without a file${after(words)}`,
  task_not_known: () => "the upstream does not know it",
  never_submitted: () => "the task was never submitted",
  no_handle: () => "its handle is missing",
  submitter_ended: () => "the process that submitted it ended, or stood still",
  submission_not_known: () => "nobody knows whether the upstream took it",
  end_withdrawn: ({ outcome }) => `the upstream says ${outcome} of a finished task`,
  end_without_file: () => "the upstream finished it without a file",
  file_not_fetched: ({ words }) => words,
  file_status: ({ status }) => `the upstream answered with status ${status}`,
  file_too_slow: () => "the file did not arrive in time",
  file_too_large: () => "the file is too large",
  file_empty: () => "the file is empty",
  file_begins_otherwise: ({ contentType, wanted }) =>
    `the file begins like ${contentType}, not like ${wanted}`,
  file_of_another_kind: ({ media, wanted }) => `the file is ${media}, not ${wanted}`,
  file_not_measured: ({ words }) => words,
  own_fault: ({ words }) => words,
};
