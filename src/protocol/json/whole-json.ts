/** Makes whole and compact JSON of a JSON text that came in pieces and may have been cut off. */

const CLOSERS: ReadonlyMap<string, string> = new Map([
  ["{", "}"],
  ["[", "]"],
]);
const isSpace = (char: string): boolean =>
  char === " " || char === "\n" || char === "\t" || char === "\r";
/** A number or a word, up to whatever ends it. */
const WORD = /[^\s,:{}[\]"]+/y;

/** The position after the closing quote of the string that opens at `start`, or -1. */
function stringEnd(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let slashes = quote;
    while (text[slashes - 1] === "\\") slashes -= 1;
    if ((quote - slashes) % 2 === 0) return quote + 1;
  }
  return -1;
}

/** The text without the white space between its tokens. */
function compact(text: string): string {
  let out = "";
  let from = 0;
  let position = 0;
  while (position < text.length) {
    const char = text.charAt(position);
    if (char === '"') position = stringEnd(text, position);
    else if (isSpace(char)) {
      out += text.slice(from, position);
      while (position < text.length && isSpace(text.charAt(position))) position += 1;
      from = position;
    } else position += 1;
  }
  return out + text.slice(from);
}

/**
 * The text up to its last finished value, with what is open closed. A number that runs to the end
 * may have gone on, so it is left out.
 */
function close(text: string): string {
  const open: string[] = [];
  let finishedAt = 0;
  let isKey = false;
  let position = 0;
  while (position < text.length) {
    const char = text.charAt(position);
    const closer = CLOSERS.get(char);
    if (char === '"') {
      position = stringEnd(text, position);
      if (position < 0) break;
      if (isKey) isKey = false;
      else finishedAt = position;
      continue;
    }
    if (closer !== undefined || char === "}" || char === "]") {
      if (closer === undefined) open.pop();
      else open.push(closer);
      isKey = char === "{";
      position += 1;
      finishedAt = position;
      continue;
    }
    if (char === "," || char === ":" || isSpace(char)) {
      if (char === ",") isKey = open.at(-1) === "}";
      position += 1;
      continue;
    }
    WORD.lastIndex = position;
    const word = WORD.exec(text)?.[0] ?? char;
    position += word.length;
    if (position === text.length && !/^(?:true|false|null)$/.test(word)) break;
    finishedAt = position;
  }
  return text.slice(0, finishedAt) + open.toReversed().join("");
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Numbers, strings and the order of members stay as they are written, which parsing and writing
 * them anew would not keep. What was cut off is closed after its last finished value, as the
 * official SDKs do; null for what is no beginning of JSON.
 */
export function wholeJson(text: string): string | null {
  if (isJson(text)) return compact(text);
  const closed = close(text);
  return isJson(closed) ? compact(closed) : null;
}
