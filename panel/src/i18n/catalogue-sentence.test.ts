/**
 * Protects: every mistake that a catalogue can have is said in the language of the page, by its
 * code and what it names.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type {
  CatalogueMistakeCode,
  CatalogueMistakes,
  CodedMistake,
} from "../../../src/contract/catalogue/catalogue-mistake.ts";
import { ENGLISH_SENTENCES } from "../../../src/contract/catalogue/english-sentences.ts";
import { mistakeAt, type ParamsOf } from "../../../src/contract/catalogue/mistake-at.ts";
import { assertWordedInRussian } from "../../../test/support/assert-worded-in-russian.ts";
import { catalogueSentence } from "./catalogue-sentence.ts";

const NAME = { name: "talk", near: "talks", known: [], more: false } as const;
const NONE = { near: null, known: [], more: false } as const;
const MANY = { near: null, known: ["a1", "b2"], more: true } as const;
const NOTHING = [{}] as const;
const KINDS = ["cacheWrite5m", "cacheWrite1h"];

/** Every word of a closed set: the compiler sees to it that none is forgotten. */
function every<Word extends string>(words: Readonly<Record<Word, true>>): Word[] {
  return Object.keys(words) as Word[];
}

const SLIPS = every<CatalogueMistakes["not_yaml"]["slip"]>({
  tab_indent: true,
  not_closed: true,
  uneven_indent: true,
  key_beside_value: true,
  key_expected: true,
  sign_missing: true,
  bad_start: true,
  bad_anchor: true,
  bad_escape: true,
  unexpected: true,
  other: true,
});
const VALUES = every<CatalogueMistakes["expected"]["what"]>({
  roubles: true,
  factor: true,
  count_factor: true,
  quantity: true,
  number: true,
  json_value: true,
  unit: true,
  date: true,
  day: true,
  family_word: true,
  address: true,
  host: true,
  path: true,
  table_path: true,
  pointer: true,
  pointer_key: true,
  status: true,
  image_type: true,
  video_type: true,
  audio_type: true,
});
const MEMBERS = every<CatalogueMistakes["none_given"]["what"]>({
  upstream: true,
  model: true,
  route: true,
  receipt: true,
  credential: true,
  value: true,
  parameter_value: true,
  amount: true,
  exclusive: true,
});
const NAMEABLE = every<CatalogueMistakes["unknown_name"]["what"]>({
  upstream: true,
  model: true,
  parameter: true,
  table: true,
  table_parameter: true,
  place: true,
  kept_url: true,
});
const YAML_KINDS = every<CatalogueMistakes["wrong_kind"]["got"]>({
  nothing: true,
  mapping: true,
  list: true,
  value: true,
});

const SAMPLES: { readonly [Code in CatalogueMistakeCode]: readonly CatalogueMistakes[Code][] } = {
  source_too_long: [{ max: 4_194_304 }, { max: 21 }],
  zero_bytes: NOTHING,
  not_yaml: SLIPS.map((slip) => ({
    column: 7,
    slip,
    bracket: slip === "not_closed" ? "{" : null,
    reported: "Nothing works here",
  })),
  wrong_kind: (["mapping", "list", "text"] as const).flatMap((wanted) =>
    YAML_KINDS.map((got) => ({ wanted, got })),
  ),
  empty_key: NOTHING,
  key_twice: [{ key: "talk" }],
  unknown_key: [NAME, NONE, MANY].map((names) => ({ ...names, key: "inputs" })),
  missing: NOTHING,
  type_missing: NOTHING,
  none_given: MEMBERS.map((what) => ({ what })),
  no_endpoint: [{ known: ["messages"] }],
  too_deep: [
    { what: "values", max: 8 },
    { what: "tables", max: 6 },
  ],
  expected: VALUES.map((what) => ({ what, got: "sixteen" })),
  not_whole_number: [{ min: 1, max: 100_000_000, got: "16k" }],
  unknown_word: [NAME, NONE, MANY].map((names) => ({ ...names, got: "opnai" })),
  unknown_name: NAMEABLE.flatMap((what) =>
    [NAME, { ...NAME, ...NONE }, { ...NAME, ...MANY }].map((names) => ({ ...names, what })),
  ),
  bad_name: (["upstream", "model", "header", "tool"] as const).map((what) => ({
    what,
    name: "no good",
  })),
  name_too_long: [{ max: 100 }, { max: 1 }],
  upstream_model_length: [{ max: 300 }],
  least_above_most: [{ min: 5, max: 2 }],
  not_a_range: NOTHING,
  reference_outside_upstreams: NOTHING,
  bad_reference: [{ reference: "${a-b}" }],
  variable_not_set: [{ variable: "KEY" }],
  not_a_variable_name: NOTHING,
  variable_twice: [{ variable: "KEY" }],
  credential_not_set: [{ variable: "KEY" }],
  own_secret: [{ variable: "SESSION_SECRET" }],
  address_with_password: NOTHING,
  address_with_fragment: NOTHING,
  serves_no_chat: [{ protocol: "kie" }],
  submit_rate_without_tasks: [{ protocol: "openai" }],
  max_running_without_tasks: [{ protocol: "openai" }],
  described_by_protocol: [{ protocol: "fal" }],
  output_above_context: [{ output: 1_100, context: 1_000 }],
  endpoint_twice: [{ endpoint: "messages" }],
  family_match_taken: [{ match: "opus" }],
  listed_for_another: [
    { id: "a-opus", model: "talk", picked: null },
    { id: "a-opus", model: "talk", picked: "other" },
  ],
  serves_no_messages: [{ model: "talk" }],
  listed_as_model: [{ id: "talk" }],
  receipts_same_day: NOTHING,
  second_route: [{ model: "m", upstream: "up" }],
  wrong_protocol: [{ upstream: "media", protocol: "kie", needed: ["openai", "anthropic"] }],
  concurrent_above_upstream: [{ got: 6, upstream: "up", max: 5 }],
  no_cost: NOTHING,
  flag_limit: [{ parameter: "sound" }],
  negative_price: [{ got: "-1" }],
  price_too_high: [{ got: "99999999", max: "10000000" }],
  price_too_fine: [{ got: "0.1234567891" }],
  second_tier: [{ tokens: 200_000 }, { tokens: 21 }],
  price_incomplete: [{ kinds: KINDS }],
  price_without_base: [{ kinds: KINDS }],
  cache_writes_missing: [{ kinds: KINDS, upstream: "up" }],
  cache_writes_at_input: [{ kinds: KINDS, upstream: "up" }],
  price_form: [
    { forms: ["request", "input + output"], given: ["input"] },
    { forms: ["input"], given: [] },
  ],
  parameter_twice: [{ parameter: "size" }],
  table_depth: [{ by: 2 }, { by: 1 }],
  tool_without_price: NOTHING,
  multiply_or_price: NOTHING,
  tiers_beside_multiply: NOTHING,
  tiers_missing: NOTHING,
  not_a_quantity: [{ parameter: "prompt" }],
  quantity_left_out: [{ parameter: "duration" }],
  no_list_of_values: [{ parameter: "prompt" }],
  never_value: [NAME, NONE, MANY].map((names) => ({
    ...names,
    parameter: "resolution",
    value: "721p",
  })),
  place_hidden: NOTHING,
  brace_alone: [{ got: "{half" }],
  header_not_ascii: NOTHING,
  own_header: [{ header: "host" }],
  header_or_query: NOTHING,
  codes_without_place: NOTHING,
  path_or_url: NOTHING,
  path_without_id: NOTHING,
  path_without_attempt: NOTHING,
  path_without_tables: NOTHING,
  table_without_path: NOTHING,
  no_success_state: NOTHING,
  at_without_item: NOTHING,
  given_or_above: NOTHING,
  schedule_reversed: [{ min: 9_000, max: 1_000 }],
};

const samples = (Object.keys(ENGLISH_SENTENCES) as CatalogueMistakeCode[]).flatMap((code) =>
  SAMPLES[code].map((params) =>
    mistakeAt({ path: "models", line: 1 }, code, ...([params] as unknown as ParamsOf<typeof code>)),
  ),
);

test("every code is said in Russian, with every word of its closed sets and everything it names", () => {
  assert.ok(samples.length > 130, `${samples.length} samples`);
  for (const mistake of samples) assertWordedInRussian(mistake);
});

test("every code is said in English, as the command line prints it, and two mistakes are never told alike", () => {
  for (const mistake of samples) {
    const stated = catalogueSentence("en", mistake);
    assert.equal(stated, mistake.message);
    assert.match(stated, /[a-z]{3}/, mistake.code);
    assert.doesNotMatch(stated, /[а-яё]|undefined|NaN|object Object/u, mistake.code);
  }
  const russian = new Set(samples.map((mistake) => catalogueSentence("ru", mistake)));
  const english = new Set(samples.map((mistake) => `${mistake.code} ${mistake.message}`));
  assert.ok(russian.size >= english.size, `${russian.size} sentences of ${english.size}`);
});

test("a code that the page does not know yet is told as the server says it", () => {
  const coded = { code: "of_tomorrow", params: {} } as unknown as CodedMistake;
  assert.equal(
    catalogueSentence("ru", { path: "", line: null, ...coded, message: "something new" }),
    "something new",
  );
});
