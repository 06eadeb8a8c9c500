/**
 * Watches the JSON text of one object as it comes in pieces: how much of it is the text of an
 * object, and whether it is all there.
 */

export interface ObjectText {
  /**
   * The part of the piece that goes on with the object, so that all parts together are one object's
   * text or its beginning. Left out is white space before it, and whatever comes after its end or
   * after a mistake in it. Control characters that a model has put into a string as they are come
   * out escaped.
   */
  add(piece: string): string;
  /** `broken`: what came is no beginning of an object. */
  readonly state: "empty" | "open" | "whole" | "broken";
}

/** What may come next. `number…` are the places within a number (RFC 8259 §6). */
type Place =
  | "value"
  | "first-item"
  | "first-key"
  | "key"
  | "colon"
  | "after"
  | "string"
  | "escape"
  | "hex"
  | "word"
  | "number-minus"
  | "number-zero"
  | "number-whole"
  | "number-point"
  | "number-fraction"
  | "number-e"
  | "number-sign"
  | "number-exponent";

const isSpace = (char: string): boolean =>
  char === " " || char === "\n" || char === "\t" || char === "\r";
const isDigit = (char: string): boolean => char >= "0" && char <= "9";
const WORDS: ReadonlyMap<string, string> = new Map([
  ["t", "rue"],
  ["f", "alse"],
  ["n", "ull"],
]);

/** Where a number goes on with this character; null where it does not. */
function numberPlace(place: Place, char: string): Place | null {
  const digit = isDigit(char);
  const exponent = char === "e" || char === "E";
  switch (place) {
    case "number-minus":
      if (!digit) return null;
      return char === "0" ? "number-zero" : "number-whole";
    case "number-zero":
    case "number-whole":
      if (digit && place === "number-whole") return place;
      if (char === ".") return "number-point";
      return exponent ? "number-e" : null;
    case "number-point":
    case "number-fraction":
      if (digit) return "number-fraction";
      return exponent && place === "number-fraction" ? "number-e" : null;
    case "number-e":
      if (char === "+" || char === "-") return "number-sign";
      return digit ? "number-exponent" : null;
    case "number-sign":
    case "number-exponent":
      return digit ? "number-exponent" : null;
    default:
      return null;
  }
}

/** A number may end here. */
const NUMBER_ENDS: ReadonlySet<Place> = new Set([
  "number-zero",
  "number-whole",
  "number-fraction",
  "number-exponent",
]);

export function createObjectText(): ObjectText {
  let state: ObjectText["state"] = "empty";
  let place: Place = "value";
  /** The open objects and lists, by their closing sign. */
  const open: ("}" | "]")[] = [];
  /** The string under way is a key. */
  let isKey = false;
  /** What is still to come of a word or of `\u` and its digits. */
  let word = "";
  let hexLeft = 0;

  function go(next: Place): true {
    place = next;
    return true;
  }

  function beginString(key: boolean): true {
    isKey = key;
    return go("string");
  }

  function beginValue(char: string): boolean {
    if (char === '"') return beginString(false);
    if (char === "{" || char === "[") {
      open.push(char === "{" ? "}" : "]");
      return go(char === "{" ? "first-key" : "first-item");
    }
    if (char === "-") return go("number-minus");
    if (isDigit(char)) return go(char === "0" ? "number-zero" : "number-whole");
    word = WORDS.get(char) ?? "";
    return word !== "" && go("word");
  }

  function endOrNext(char: string): boolean {
    if (char === ",") return go(open.at(-1) === "}" ? "key" : "value");
    if (char !== open.at(-1)) return false;
    open.pop();
    return go("after");
  }

  function inString(char: string): boolean {
    if (char === "\\") return go("escape");
    return char === '"' ? go(isKey ? "colon" : "after") : true;
  }

  function inEscape(char: string): boolean {
    if (char === "u") {
      hexLeft = 4;
      return go("hex");
    }
    return '"\\/bfnrt'.includes(char) && go("string");
  }

  function inHex(char: string): boolean {
    hexLeft -= 1;
    return /[\da-f]/i.test(char) && (hexLeft > 0 || go("string"));
  }

  function inWord(char: string): boolean {
    if (!word.startsWith(char)) return false;
    word = word.slice(1);
    return word !== "" || go("after");
  }

  /** False where the character cannot stand here. */
  function step(char: string): boolean {
    switch (place) {
      case "string":
        return inString(char);
      case "escape":
        return inEscape(char);
      case "hex":
        return inHex(char);
      case "word":
        return inWord(char);
      case "number-minus":
      case "number-zero":
      case "number-whole":
      case "number-point":
      case "number-fraction":
      case "number-e":
      case "number-sign":
      case "number-exponent": {
        const next = numberPlace(place, char);
        if (next !== null) return go(next);
        return NUMBER_ENDS.has(place) && go("after") && step(char);
      }
      default:
        return isSpace(char) || stepOutside(char);
    }
  }

  /** Between the strings, words and numbers. */
  function stepOutside(char: string): boolean {
    switch (place) {
      case "first-item":
        return char === "]" ? endOrNext(char) : beginValue(char);
      case "first-key":
        return char === "}" ? endOrNext(char) : char === '"' && beginString(true);
      case "key":
        return char === '"' && beginString(true);
      case "colon":
        return char === ":" && go("value");
      case "after":
        return endOrNext(char);
      default:
        return beginValue(char);
    }
  }

  return {
    add(piece) {
      let text = "";
      let from = 0;
      for (let at = 0; at < piece.length; at += 1) {
        const char = piece.charAt(at);
        if (state === "whole" || state === "broken") return text;
        if (state === "empty") {
          from = at;
          if (isSpace(char)) {
            from = at + 1;
            continue;
          }
          state = char === "{" ? "open" : "broken";
        } else if (place === "string" && char < " ") {
          text += piece.slice(from, at) + JSON.stringify(char).slice(1, -1);
          from = at + 1;
          continue;
        }
        if (state === "broken" || !step(char)) {
          state = "broken";
          return text + piece.slice(from, at);
        }
        if (open.length === 0) {
          state = "whole";
          return text + piece.slice(from, at + 1);
        }
      }
      return state === "whole" || state === "broken" ? text : text + piece.slice(from);
    },
    get state() {
      return state;
    },
  };
}
