/**
 * Why a task was not submitted, not finished or has no files: every code, and what its sentence
 * names. Kept with the events of the task; each language writes its own from the code.
 */

type NoParams = Readonly<Record<never, never>>;

export interface TaskReasons {
  // Nothing was sent: the catalogue, or the description of the upstream's API, does not allow it.
  readonly api_not_described: NoParams;
  readonly takes_no_tasks: NoParams;
  readonly no_upstream_left: NoParams;
  readonly upstream_gone: { readonly upstream: string };
  readonly credential_not_set: { readonly name: string };
  readonly credential_unfit: NoParams;
  readonly call_without_address: { readonly template: string };
  readonly model_without_place: { readonly model: string; readonly parameter: string };
  readonly model_not_filled: { readonly model: string };
  readonly constant_without_place: { readonly pointer: string };
  readonly body_constant_taken: NoParams;
  readonly parameter_without_form: { readonly parameter: string; readonly form: string };
  readonly parameter_without_place: { readonly parameter: string; readonly pointer: string };
  readonly stopped_unsent: NoParams;
  // The call had no whole answer.
  readonly stopped: NoParams;
  readonly answer_too_slow: { readonly limitMs: number };
  // What it answered; `words`: its own, and "" where it had none.
  readonly status_alone: { readonly status: number };
  readonly status_not_json: { readonly status: number };
  readonly success_without_id: { readonly status: number };
  readonly no_state: NoParams;
  readonly state_not_known: { readonly state: string };
  readonly made_nothing: { readonly words: string };
  readonly success_without_file: { readonly words: string };
  readonly task_not_known: NoParams;
  // What became of its submission.
  readonly never_submitted: NoParams;
  readonly no_handle: NoParams;
  readonly submitter_ended: NoParams;
  readonly submission_not_known: NoParams;
  // Its files.
  readonly end_withdrawn: { readonly outcome: string };
  readonly end_without_file: NoParams;
  readonly file_not_fetched: { readonly words: string };
  readonly file_status: { readonly status: number };
  readonly file_too_slow: NoParams;
  readonly file_too_large: NoParams;
  readonly file_empty: NoParams;
  readonly file_begins_otherwise: { readonly contentType: string; readonly wanted: string };
  readonly file_of_another_kind: { readonly media: string; readonly wanted: string };
  readonly file_not_measured: { readonly words: string };
  /** On our side; `words`: those of the program or the system. */
  readonly own_fault: { readonly words: string };
}
