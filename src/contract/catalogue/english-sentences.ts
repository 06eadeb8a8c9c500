/**
 * What is wrong with a catalogue file, in English: what the command line prints, the log keeps and
 * the panel shows in English.
 */
import type {
  CatalogueSentences,
  ExpectedMember,
  ExpectedValue,
  Meant,
  Nameable,
  YamlKind,
  YamlSlip,
} from "./catalogue-mistake.ts";

const KINDS: Readonly<Record<YamlKind, string>> = {
  nothing: "nothing",
  mapping: "a mapping",
  list: "a list",
  value: "a plain value",
};

const WANTED = { mapping: "a mapping (key: value)", list: "a list", text: "a text" } as const;

/** Of the others the parser's own words are good. */
const SLIPS: Readonly<Partial<Record<YamlSlip, string>>> = {
  tab_indent: "a tab cannot indent; use spaces",
  uneven_indent: "this line is indented otherwise than those that it stands with",
  key_beside_value:
    'this value cannot have a key beside it: the next line is indented too far, or this line has a second ": "',
  key_expected: "a key is expected, then a colon and a space, as in key: value",
};

/** What comes before `, not "…"`. */
const VALUES: Readonly<Record<ExpectedValue, string>> = {
  roubles: 'roubles are expected as a decimal such as "150" or "4.5"',
  factor:
    'a positive decimal such as "2" or "0.75" is expected, with at most nine digits before and after the point',
  count_factor: "a decimal from 0.2 to 10 is expected",
  quantity: "a parameter or a positive number is expected",
  number: "a number is expected",
  json_value: "a text, a number, true or false is expected",
  unit: "a word for one unit is expected, such as second or image",
  date: "a date is expected, such as 2026-01-31 or 2026-01-31T12:00:00Z",
  day: "a day is expected, such as 2026-01-01",
  family_word: "a lower-case word is expected, such as claude",
  address: "an http or https address is expected",
  host: "a host or host:port is expected, such as 127.0.0.1:8090",
  path: "a path is expected that begins with / or {+path}, such as /v1/tasks/{id}",
  table_path: "a path is expected, such as /v1/videos/image2video",
  pointer: "a JSON pointer is expected, such as /data/taskId",
  pointer_key: "the keys here are JSON pointers, such as /output_format",
  status: "an HTTP status is expected, such as 409",
  image_type: "a content type of image is expected",
  video_type: "a content type of video is expected",
  audio_type: "a content type of audio is expected",
};

const MEMBERS: Readonly<Record<ExpectedMember, string>> = {
  upstream: "at least one upstream is expected",
  model: "at least one model is expected",
  route: "at least one route is expected; a model without a route cannot be served",
  receipt: "at least one entry is expected; leave payments out where the shop issues no receipts",
  credential: "the name of at least one environment variable is expected",
  value: "at least one value is expected",
  parameter_value: "at least one parameter with its value is expected",
  amount: "at least one value with its amount is expected",
  exclusive: "at least two are expected, of which one may be given",
};

const NAMEABLE: Readonly<Record<Nameable, (name: string) => string>> = {
  upstream: (name) => `there is no upstream "${name}"`,
  model: (name) => `there is no model "${name}"`,
  parameter: (name) => `the model has no parameter "${name}"`,
  table: (name) => `there is no parameter table "${name}"`,
  table_parameter: (name) => `the table has no parameter "${name}"`,
  place: (name) => `there is no place {${name}} here`,
  kept_url: (name) => `the submission keeps no url "${name}"`,
};

const BAD_NAMES = {
  upstream: (name: string) =>
    `"${name}" cannot be an upstream's name: letters, digits and . _ - are allowed, at most 64`,
  model: (name: string) =>
    `"${name}" cannot be a model id: letters, digits and . _ : / - are allowed, at most 128, beginning and ending with a letter or digit`,
  header: (name: string) => `"${name}" cannot be the name of a header`,
  tool: (name: string) =>
    `"${name}" is no tool's name: its type without the date is expected, such as web_search`,
} as const;

function meant({ near, known, more }: Meant): string {
  if (near !== null) return `did you mean "${near}"?`;
  if (known.length === 0) return "none is defined";
  return `known: ${known.join(", ")}${more ? ", …" : ""}`;
}

function cacheWrites({
  kinds,
  upstream,
}: {
  readonly kinds: readonly string[];
  readonly upstream: string;
}): string {
  return `${kinds.join(" and ")} must be stated, since the upstream "${upstream}" writes to caches where its callers ask for it`;
}

export const ENGLISH_SENTENCES: CatalogueSentences = {
  source_too_long: ({ max }) => `longer than ${max} characters`,
  zero_bytes: () => "not a text file: it has zero bytes",
  not_yaml: ({ column, slip, bracket, reported }) =>
    `not valid YAML at column ${column}: ${slip === "not_closed" ? `this ${bracket} is not closed` : (SLIPS[slip] ?? reported)}`,
  wrong_kind: ({ wanted, got }) => `${WANTED[wanted]} is expected, not ${KINDS[got]}`,
  empty_key: () => "a key must be a text that is not empty",
  key_twice: ({ key }) => `"${key}" stands here a second time`,
  unknown_key: ({ key, ...names }) => `unknown key "${key}"; ${meant(names)}`,
  missing: () => "required, and missing",
  type_missing: () => "a type is required: chat or task",
  none_given: ({ what }) => MEMBERS[what],
  no_endpoint: ({ known }) =>
    `at least one endpoint is expected; ${meant({ near: null, known, more: false })}`,
  too_deep: ({ what, max }) =>
    what === "values" ? `values nest at most ${max} deep here` : `tables nest at most ${max} deep`,

  expected: ({ what, got }) => `${VALUES[what]}, not "${got}"`,
  not_whole_number: ({ min, max, got }) =>
    `a whole number from ${min} to ${max} is expected, not "${got}"`,
  unknown_word: ({ got, ...names }) => `"${got}" is not one of the known words; ${meant(names)}`,
  unknown_name: ({ what, name, ...names }) => `${NAMEABLE[what](name)}; ${meant(names)}`,
  bad_name: ({ what, name }) => BAD_NAMES[what](name),
  name_too_long: ({ max }) => `at most ${max} characters are expected`,
  upstream_model_length: ({ max }) =>
    `the upstream's name of the model is expected, 1 to ${max} characters`,
  least_above_most: ({ min, max }) => `${min} is more than ${max}`,
  not_a_range: () => "the least and the most are expected, such as [2, 15]",

  reference_outside_upstreams: () =>
    "${…} is replaced in upstreams only; write the value itself here",
  bad_reference: ({ reference }) =>
    `"${reference}" is not a reference to an environment variable; write it as \${NAME}`,
  variable_not_set: ({ variable }) => `the environment variable ${variable} is not set`,
  not_a_variable_name: () =>
    "the name of an environment variable is expected, such as EXAMPLE_API_KEY; the credential itself never stands in the catalogue",
  variable_twice: ({ variable }) => `${variable} is named twice`,
  credential_not_set: ({ variable }) =>
    `the environment variable ${variable} is not set; the upstream cannot be called without it`,
  own_secret: ({ variable }) => `${variable} is the gateway's own and goes to no upstream`,

  address_with_password: () =>
    "an address without user name and password is expected; credentials come from the variables of apiKeyEnv",
  address_with_fragment: () => "an address without a #fragment is expected",
  serves_no_chat: ({ protocol }) =>
    `${protocol} serves no chat; reportedCost is for usage.cost of chat answers`,
  submit_rate_without_tasks: ({ protocol }) =>
    `${protocol} takes no tasks; submitRate counts new tasks only`,
  max_running_without_tasks: ({ protocol }) =>
    `${protocol} takes no tasks; maxConcurrent bounds its calls`,
  described_by_protocol: ({ protocol }) =>
    `${protocol} says by itself how the API is called; a description belongs to the protocol http-task`,

  output_above_context: ({ output, context }) =>
    `${output} is more than the contextTokens, ${context}, which hold the answer too`,
  endpoint_twice: ({ endpoint }) => `${endpoint} is listed twice`,
  family_match_taken: ({ match }) => `"${match}" picks another tier already`,
  listed_for_another: ({ id, model, picked }) =>
    `"${id}" is listed for "${model}", and ${picked === null ? "is no id of the family" : `picks "${picked}"`}`,
  serves_no_messages: ({ model }) =>
    `family ids are called at the messages endpoint, which "${model}" does not serve`,
  listed_as_model: ({ id }) => `"${id}" is a model of its own`,
  receipts_same_day: () => "another entry begins on this day",

  second_route: ({ model, upstream }) =>
    `a second route to "${model}" of "${upstream}"; give one route a greater weight instead`,
  wrong_protocol: ({ upstream, protocol, needed }) =>
    `the upstream "${upstream}" speaks ${protocol}; a model of this type needs one that speaks ${needed.join(" or ")}`,
  concurrent_above_upstream: ({ got, upstream, max }) =>
    `${got} is more than the maxConcurrent of "${upstream}", ${max}, which counts all its routes`,
  no_cost: () => "it belongs to a cost, and there is none",
  flag_limit: ({ parameter }) =>
    `"${parameter}" is true or false: a limit can only stand in exclusive or needs`,

  negative_price: ({ got }) => `a price cannot be negative, as "${got}" is`,
  price_too_high: ({ got, max }) => `${got} roubles is above ${max}, surely a slip`,
  price_too_fine: ({ got }) =>
    `"${got}" has more than nine digits after the point; a nano-rouble is the smallest price`,
  second_tier: ({ tokens }) => `a second tier above ${tokens} prompt tokens`,
  price_incomplete: ({ kinds }) => `incomplete: the base has a price for ${kinds.join(", ")} too`,
  price_without_base: ({ kinds }) =>
    `the base has no price for ${kinds.join(", ")}; state it there, too`,
  cache_writes_missing: cacheWrites,
  cache_writes_at_input: (params) =>
    `${cacheWrites(params)}; until then they are sold at the price of input`,
  price_form: ({ forms, given }) =>
    `a price of this type states ${forms.join(", or ")}, and nothing else${given.length === 0 ? "" : `; here are ${given.join(", ")}`}`,
  parameter_twice: ({ parameter }) => `${parameter} stands here twice`,
  table_depth: ({ by }) =>
    `the table is by ${by === 1 ? "1 parameter" : `${by} parameters`}: ${by === 1 ? "one amount in roubles" : "an amount for each value of the second one"} is expected here`,
  tool_without_price: () => "perCall or perRequest is required",
  multiply_or_price: () => "either multiply or a price of its own is required, and not both",
  tiers_beside_multiply: () =>
    "tiers belong to a price of its own; a multiplier counts in every tier of the base",
  tiers_missing: () =>
    "incomplete: the base has tiers, so a price of its own needs its tiers; [] says that it has none",
  not_a_quantity: ({ parameter }) =>
    `"${parameter}" is no number, so nothing can be multiplied by it`,
  quantity_left_out: ({ parameter }) =>
    `"${parameter}" may be left out of a request, which then would have no price`,
  no_list_of_values: ({ parameter }) =>
    `"${parameter}" has no list of values, so an amount cannot be looked up by it`,
  never_value: ({ parameter, value, ...names }) =>
    `"${parameter}" is never "${value}"; ${meant(names)}`,

  place_hidden: () => "has a place that is not known here",
  brace_alone: ({ got }) =>
    `a place is written {name} or {+name}; "${got}" has a brace without its other`,
  header_not_ascii: () => "the value of a header is written in ASCII",
  own_header: ({ header }) => `the header ${header} is set by the call itself`,
  header_or_query: () => "either a header, with a prefix if it has one, or a query is expected",
  codes_without_place: () =>
    "codes need a place where they are found: write code: [/code] beside them",
  path_or_url: () => "a path is expected, or the url among those that the submission returns",
  path_without_id: () => "has no place {id}, so it cannot ask for one task",
  path_without_attempt: () =>
    "has no place {attempt}, and there is no list in which it could be found",
  path_without_tables: () =>
    "{path} is that of a parameter table, and no table is described; write tables: { T3: { path: … } }",
  table_without_path: () => "has no path, which {path} in the calls stands for",
  no_success_state: () => "no state means succeeded, so no task would ever be completed",
  at_without_item: () => "is a place in item, and there is no item",
  given_or_above: () => "a value is expected, or one of { given: true } and { above: 12 }",
  schedule_reversed: ({ min, max }) => `minMs, ${min}, is more than maxMs, ${max}`,
};
