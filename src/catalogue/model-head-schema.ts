/** What models of every type say of themselves and of a route. */
import Type from "typebox";
import type { TUnsafe } from "typebox";
import { REQUEST_KINDS, type RequestKind } from "../contract/enums/request-kind.ts";
import { described, orElse, TEXT, value, whole, words } from "./schema-parts.ts";
import { DATE } from "./single-values.ts";
import { MOST_CONCURRENT } from "./upstream-schema.ts";

export const TOKENS = whole(1, 100_000_000);
const LONGEST_DISPLAY_NAME = 100;
const LONGEST_UPSTREAM_MODEL = 300;

export const HEAD = {
  displayName: Type.Optional(
    described(
      "As lists of models show it; the id by default.",
      value({ ...TEXT, maxLength: LONGEST_DISPLAY_NAME }, (text, { at, reader }) =>
        text.length > LONGEST_DISPLAY_NAME
          ? reader.note(at, "name_too_long", { max: LONGEST_DISPLAY_NAME })
          : text,
      ),
    ),
  ),
  createdAt: Type.Optional(
    described("As lists of models show it: 2026-01-31 or 2026-01-31T12:00:00Z.", DATE),
  ),
};

export const ROUTE = {
  upstream: described("One of the upstreams of this file.", TEXT),
  model: described(
    "The upstream's name of the model.",
    value(
      { ...TEXT, minLength: 1, maxLength: LONGEST_UPSTREAM_MODEL, pattern: String.raw`\S` },
      (text, { at, reader }) =>
        text.trim() === "" || text.length > LONGEST_UPSTREAM_MODEL
          ? reader.note(at, "upstream_model_length", { max: LONGEST_UPSTREAM_MODEL })
          : text,
    ),
  ),
  order: described("The lowest is tried first.", orElse(whole(0, 1_000), 1)),
  weight: described("The share within one order.", orElse(whole(1, 1_000_000), 1)),
  maxConcurrent: Type.Optional(
    described(
      "Calls at the same time from one process, within the upstream's.",
      whole(1, MOST_CONCURRENT),
    ),
  ),
};

export const ANSWER_MODEL = Type.Optional(
  described("upstream: answers name the model as the upstream does.", words(["upstream"])),
);

/** What it is asked for. */
export function typeOf(): TUnsafe<RequestKind> {
  return described("What it is asked for.", words(REQUEST_KINDS));
}
