/**
 * The names under which the tools of a Responses request go to upstreams of other protocols, which
 * know functions in one flat list alone, and back.
 */
import { hash } from "node:crypto";

/** What a function of the flat list is to the caller. */
export type ToolOrigin =
  | { readonly kind: "function"; readonly name: string; readonly namespace: string | null }
  /** Its input is a text, not JSON. */
  | { readonly kind: "custom"; readonly name: string; readonly namespace: string | null }
  /** The search for tools that the caller runs itself. */
  | { readonly kind: "tool-search" };

export const TOOL_SEARCH = "tool_search";
/** What every upstream takes in a name (OpenAI's reference, function names). */
const NAME_CHARACTERS = 64;
const HASH_CHARACTERS = 8;
const NOT_IN_NAMES = /[^A-Za-z0-9_-]/g;

/**
 * Of the namespace and the name alone, so that the calls of earlier turns get the same, whatever
 * tools a request lists.
 */
export function flatName(name: string, namespace: string | null): string {
  if (namespace === null || namespace === "") return name;
  const joined = `${namespace}__${name}`.replaceAll(NOT_IN_NAMES, "_");
  if (joined.length <= NAME_CHARACTERS) return joined;
  const mark = hash("sha256", `${namespace}\n${name}`, "hex").slice(0, HASH_CHARACTERS);
  return `${joined.slice(0, NAME_CHARACTERS - HASH_CHARACTERS - 1)}_${mark}`;
}
