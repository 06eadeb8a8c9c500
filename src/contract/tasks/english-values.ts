/** What is wrong with the values of a task and with its body, in English. */
import type {
  BodyMistakes,
  ExpectedKind,
  JsonKind,
  TaskSentences,
  ValueMistakes,
  WrongCount,
} from "./task-mistake.ts";

const EXPECTED: Readonly<Record<ExpectedKind, string>> = {
  flag: "true or false",
  text: "a string",
  texts: "a list of strings",
  objects: "a list of objects",
  objects_or_flag: "a list of objects, true or false",
  object: "an object",
  one_url: "one URL, not a list",
  url: "a URL, as a string",
  urls: 'a list of URLs, such as ["https://…"]',
};

const GOT: Readonly<Record<JsonKind, string>> = {
  list: "a list",
  object: "an object",
  string: "a string",
  number: "a number",
  boolean: "a boolean",
};

const listed = (values: readonly string[]): string =>
  values.map((value) => JSON.stringify(value)).join(", ");
const quoted = (names: readonly string[], word: string): string =>
  names.map((name) => `'${name}'`).join(` ${word} `);
const number = (wanted: string, got: JsonKind): string =>
  `must be ${wanted}${got === "number" ? "" : `, not ${GOT[got]}`}.`;
const count = (bound: string, { how, limit, has }: WrongCount): string =>
  `must have ${how === "exactly" ? how : bound} ${limit}; it has ${has}.`;

/** As they follow the name of the parameter. */
export const ENGLISH_VALUES: TaskSentences<ValueMistakes> = {
  required: () => "is required.",
  expected: ({ what }) => `must be ${EXPECTED[what]}.`,
  characters: () => "contains a NUL character or half a surrogate pair.",
  empty_text: () => "must not be empty.",
  minLength: ({ limit }) => `must have at least ${limit} characters.`,
  maxLength: ({ limit, has }) => `must have at most ${limit} characters; it has ${has}.`,
  no_number: ({ got }) => number("a number", got),
  no_whole_number: ({ got }) => number("a whole number", got),
  minimum: ({ limit }) => `must be at least ${limit}.`,
  maximum: ({ limit }) => `must be at most ${limit}.`,
  no_choice: ({ values, got }) => `must be a string, one of ${listed(values)}; not ${GOT[got]}.`,
  enum: ({ values, near }) =>
    `must be one of ${listed(values)}${near === undefined ? "." : `; did you mean ${JSON.stringify(near)}?`}`,
  minItems: (params) => count("at least", params),
  maxItems: (params) => count("at most", params),
  exclusive: ({ others }) => `cannot be given together with ${quoted(others, "and")}.`,
  needs: ({ others }) => `needs ${quoted(others, "or")} beside it.`,
  total_duration: ({ seconds, limit }) =>
    `last ${seconds} seconds together; at most ${limit} are allowed.`,
};

/** Whole sentences. */
export const ENGLISH_BODY: TaskSentences<BodyMistakes> = {
  body_no_object: () => "The body must be a JSON object with the parameters of the model.",
  unknown_parameter: ({ name, known, near }) =>
    `There is no parameter '${name}'. ${near === undefined ? `Known: ${known.join(", ")}.` : `Did you mean '${near}'?`}`,
  unpriced: ({ name }) => `There is no price for this value of '${name}'.`,
};
