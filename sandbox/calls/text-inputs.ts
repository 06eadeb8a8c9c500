/** Texts or token ids, one or many, as the vendors take them. */
import { countTokens } from "../count-tokens.ts";

export interface TextInputs {
  /** What stands for each input: its text, or its ids in a line. */
  readonly inputs: readonly string[];
  readonly tokens: number;
  /** All texts together. */
  readonly text: string;
}

/** Null for what is none of these. */
export function readTexts(input: unknown): TextInputs | null {
  const list = typeof input === "string" ? [input] : input;
  if (!Array.isArray(list) || list.length === 0) return null;
  const items: readonly unknown[] = isIds(list) ? [list] : list;
  let tokens = 0;
  let text = "";
  const inputs: string[] = [];
  for (const item of items) {
    if (typeof item === "string" && item !== "") {
      inputs.push(item);
      tokens += countTokens(item);
      text += `${item}\n`;
    } else if (isIds(item)) {
      inputs.push(item.join(" "));
      tokens += item.length;
    } else return null;
  }
  return { inputs, tokens, text };
}

function isIds(value: unknown): value is number[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((id) => typeof id === "number" && Number.isInteger(id) && id >= 0)
  );
}
