/**
 * What can be wrong with a catalogue file: every code, and what the sentence of each names. The
 * sentences are made of it, language by language.
 */

export type NoParams = Readonly<Record<string, never>>;

/** A name that nothing has: the one that was probably meant, or what there is. */
export interface Meant {
  readonly near: string | null;
  /** As many as a sentence lists; empty beside a near one, and where there is none at all. */
  readonly known: readonly string[];
  /** There are others than those. */
  readonly more: boolean;
}

/** What stands in a place of the file. */
export type YamlKind = "nothing" | "mapping" | "list" | "value";

/** Where a file stops being YAML. */
export type YamlSlip =
  | "tab_indent"
  | "not_closed"
  | "uneven_indent"
  | "key_beside_value"
  | "key_expected"
  | "sign_missing"
  | "bad_start"
  | "bad_anchor"
  | "bad_escape"
  | "unexpected"
  | "other";

/** A single value that is not of its kind. */
export type ExpectedValue =
  | "roubles"
  | "factor"
  | "count_factor"
  | "quantity"
  | "number"
  | "json_value"
  | "unit"
  | "date"
  | "day"
  | "family_word"
  | "address"
  | "host"
  | "path"
  | "table_path"
  | "pointer"
  | "pointer_key"
  | "status"
  | "image_type"
  | "video_type"
  | "audio_type";

/** What a list or a mapping must have one of at least. */
export type ExpectedMember =
  | "upstream"
  | "model"
  | "route"
  | "receipt"
  | "credential"
  | "value"
  | "parameter_value"
  | "amount"
  | "exclusive";

export type Nameable =
  | "upstream"
  | "model"
  | "parameter"
  | "table"
  | "table_parameter"
  | "place"
  | "kept_url";

/** The params of every code. */
export interface CatalogueMistakes {
  // The file itself.
  readonly source_too_long: { readonly max: number };
  readonly zero_bytes: NoParams;
  /** `bracket`: the one that is not closed; `told`: the parser's own words, English. */
  readonly not_yaml: {
    readonly column: number;
    readonly slip: YamlSlip;
    readonly bracket: string | null;
    readonly reported: string;
  };
  // Its fields.
  readonly wrong_kind: { readonly wanted: "mapping" | "list" | "text"; readonly got: YamlKind };
  readonly empty_key: NoParams;
  readonly key_twice: { readonly key: string };
  readonly unknown_key: { readonly key: string } & Meant;
  readonly missing: NoParams;
  readonly type_missing: NoParams;
  readonly none_given: { readonly what: ExpectedMember };
  readonly no_endpoint: { readonly known: readonly string[] };
  readonly too_deep: { readonly what: "values" | "tables"; readonly max: number };
  // One value.
  readonly expected: { readonly what: ExpectedValue; readonly got: string };
  readonly not_whole_number: { readonly min: number; readonly max: number; readonly got: string };
  readonly unknown_word: { readonly got: string } & Meant;
  readonly unknown_name: { readonly what: Nameable; readonly name: string } & Meant;
  readonly bad_name: {
    readonly what: "upstream" | "model" | "header" | "tool";
    readonly name: string;
  };
  readonly name_too_long: { readonly max: number };
  readonly upstream_model_length: { readonly max: number };
  readonly least_above_most: { readonly min: number; readonly max: number };
  readonly not_a_range: NoParams;
  // Variables and credentials.
  readonly reference_outside_upstreams: NoParams;
  readonly bad_reference: { readonly reference: string };
  readonly variable_not_set: { readonly variable: string };
  readonly not_a_variable_name: NoParams;
  readonly variable_twice: { readonly variable: string };
  readonly credential_not_set: { readonly variable: string };
  readonly own_secret: { readonly variable: string };
  // Upstreams.
  readonly address_with_password: NoParams;
  readonly address_with_fragment: NoParams;
  readonly serves_no_chat: { readonly protocol: string };
  readonly submit_rate_without_tasks: { readonly protocol: string };
  readonly max_running_without_tasks: { readonly protocol: string };
  readonly described_by_protocol: { readonly protocol: string };
  // Models and families.
  readonly output_above_context: { readonly output: number; readonly context: number };
  readonly endpoint_twice: { readonly endpoint: string };
  readonly family_match_taken: { readonly match: string };
  /** `picked`: the model that the id stands for instead; null: it is no id of the family. */
  readonly listed_for_another: {
    readonly id: string;
    readonly model: string;
    readonly picked: string | null;
  };
  readonly serves_no_messages: { readonly model: string };
  readonly listed_as_model: { readonly id: string };
  readonly receipts_same_day: NoParams;
  // Routes.
  readonly second_route: { readonly model: string; readonly upstream: string };
  readonly wrong_protocol: {
    readonly upstream: string;
    readonly protocol: string;
    readonly needed: readonly string[];
  };
  readonly concurrent_above_upstream: {
    readonly got: number;
    readonly upstream: string;
    readonly max: number;
  };
  readonly no_cost: NoParams;
  readonly flag_limit: { readonly parameter: string };
  // Prices.
  readonly negative_price: { readonly got: string };
  readonly price_too_high: { readonly got: string; readonly max: string };
  readonly price_too_fine: { readonly got: string };
  readonly second_tier: { readonly tokens: number };
  readonly price_incomplete: { readonly kinds: readonly string[] };
  readonly price_without_base: { readonly kinds: readonly string[] };
  readonly cache_writes_missing: { readonly kinds: readonly string[]; readonly upstream: string };
  readonly cache_writes_at_input: { readonly kinds: readonly string[]; readonly upstream: string };
  /** `forms`: each names what it has to state, such as `input + output`. */
  readonly price_form: { readonly forms: readonly string[]; readonly given: readonly string[] };
  readonly parameter_twice: { readonly parameter: string };
  /** `by`: how many parameters the table is by. */
  readonly table_depth: { readonly by: number };
  readonly tool_without_price: NoParams;
  readonly multiply_or_price: NoParams;
  readonly tiers_beside_multiply: NoParams;
  readonly tiers_missing: NoParams;
  readonly not_a_quantity: { readonly parameter: string };
  readonly quantity_left_out: { readonly parameter: string };
  readonly no_list_of_values: { readonly parameter: string };
  readonly never_value: { readonly parameter: string; readonly value: string } & Meant;
  // Descriptions of providers.
  readonly place_hidden: NoParams;
  readonly brace_alone: { readonly got: string };
  readonly header_not_ascii: NoParams;
  readonly own_header: { readonly header: string };
  readonly header_or_query: NoParams;
  readonly codes_without_place: NoParams;
  readonly path_or_url: NoParams;
  readonly path_without_id: NoParams;
  readonly path_without_attempt: NoParams;
  readonly path_without_tables: NoParams;
  readonly table_without_path: NoParams;
  readonly no_success_state: NoParams;
  readonly at_without_item: NoParams;
  readonly given_or_above: NoParams;
  readonly schedule_reversed: { readonly min: number; readonly max: number };
}

export type CatalogueMistakeCode = keyof CatalogueMistakes;

/** A code with what its sentence names. */
export type CodedMistake = {
  [Code in CatalogueMistakeCode]: { readonly code: Code; readonly params: CatalogueMistakes[Code] };
}[CatalogueMistakeCode];

export type CatalogueMistake = CodedMistake & {
  /**
   * Where in the document, as in `models.sandbox-large.routes[0].upstream`; empty for the document
   * itself.
   */
  readonly path: string;
  /** Counted from 1; null when the place has no line of its own. */
  readonly line: number | null;
  /**
   * English: what is wrong and what is expected; values that came from the environment are never
   * repeated.
   */
  readonly message: string;
};

/** The sentences of one language: a code that has none does not compile. */
export type CatalogueSentences = {
  readonly [Code in CatalogueMistakeCode]: (params: CatalogueMistakes[Code]) => string;
};
