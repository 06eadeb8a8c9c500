/**
 * The text of a custom tool's call out of the arguments of the function that stood for it, piece by
 * piece as they come: `{"input": "…"}`.
 */

export interface CustomInput {
  /** The next piece of the arguments; returns the next piece of the text. */
  add(json: string): string;
  /** What of the text is left, once the arguments are all there. */
  end(): string;
  /** All arguments are there, as far as can be told. */
  readonly whole: boolean;
}

const BEGINNING = /^\s*\{\s*"input"\s*:\s*"/;
/** JSON has these in escapes only. */
const CONTROL = /\p{Cc}/u;
const CONTROLS = /\p{Cc}/gu;
/** As much of an escape as may stand at the end of a piece. */
const OPEN_ESCAPE = /\\(?:u[0-9a-fA-F]{0,3})?$/;
/** A beginning that is longer than this is none. */
const BEGINNING_CHARACTERS = 200;

/** Where the string ends in `text`; -1 where it goes on. */
function endOfString(text: string): number {
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (sign === '"') return at;
    if (sign === "\\") at += 1;
  }
  return -1;
}

/** Of a piece of a JSON string without its quotes; a piece that is none stays as it is. */
function unescaped(piece: string): string {
  if (!piece.includes("\\") && !CONTROL.test(piece)) return piece;
  try {
    return String(JSON.parse(`"${piece.replaceAll(CONTROLS, escapeControl)}"`));
  } catch {
    return piece;
  }
}

/** Some models write line breaks into their strings as they are. */
function escapeControl(sign: string): string {
  return `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Of arguments that are not as they should be: what comes nearest to a text. */
function textOfAll(json: string): string {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === "string") return value;
    const input: unknown =
      typeof value === "object" && value !== null ? Reflect.get(value, "input") : undefined;
    return typeof input === "string" ? input : json;
  } catch {
    return json;
  }
}

export function createCustomInput(): CustomInput {
  let state: "before" | "inside" | "after" = "before";
  /** What has come and is not part of the text yet. */
  let rest = "";

  function inside(): string {
    const end = endOfString(rest);
    if (end >= 0) {
      const text = unescaped(rest.slice(0, end));
      state = "after";
      rest = "";
      return text;
    }
    const open = OPEN_ESCAPE.exec(rest);
    // A backslash that is itself escaped opens nothing.
    const cut = open === null || isEscaped(rest, open.index) ? rest.length : open.index;
    const text = unescaped(rest.slice(0, cut));
    rest = rest.slice(cut);
    return text;
  }

  return {
    add(json) {
      if (state === "after") return "";
      rest += json;
      if (state === "inside") return inside();
      const found = BEGINNING.exec(rest.slice(0, BEGINNING_CHARACTERS));
      if (found === null) return "";
      state = "inside";
      rest = rest.slice(found[0].length);
      return inside();
    },
    end() {
      const text = state === "before" ? textOfAll(rest) : unescaped(rest);
      state = "after";
      rest = "";
      return text;
    },
    get whole() {
      return state === "after";
    },
  };
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text[at - 1 - slashes] === "\\") slashes += 1;
  return slashes % 2 === 1;
}
