/**
 * HTML that is safe by how it is written: what is put into a template is text and is escaped, unless
 * a template made it. Not named `html`, because a formatter lays out what a tag of that name holds,
 * and these are the bytes that readers get.
 */
import { escapeHtml } from "../../kernel/escape-html.ts";

declare const madeHere: unique symbol;

/** Text of HTML that `markup` made. */
export interface Markup {
  readonly [madeHere]: true;
  readonly text: string;
}

/** Nothing is written for null; lists one after another. */
type Part = string | number | Markup | null | readonly Part[];

/** Attributes have to stand in double quotes. */
export function markup(texts: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  let text = texts[0] ?? "";
  parts.forEach((part, at) => {
    text += written(part) + (texts[at + 1] ?? "");
  });
  return asMarkup(text);
}

/** For what is ours alone: a style, a drawing. Never for what came from outside of the code. */
export function asMarkup(text: string): Markup {
  return { text } as Markup;
}

function written(part: Part): string {
  if (part === null) return "";
  if (typeof part === "string" || typeof part === "number") return escapeHtml(String(part));
  return isMarkup(part) ? part.text : part.map(written).join("");
}

function isMarkup(part: Markup | readonly Part[]): part is Markup {
  return !Array.isArray(part);
}
