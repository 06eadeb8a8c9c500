/**
 * Reads blocks like `[[sandbox: delay=500 status=429]]` out of a text, for whichever directives the
 * caller knows.
 */

const BLOCK = /\[\[sandbox:([^\]]*)\]\]/g;
const MAX_NUMBER = 10_000_000;

/**
 * Turns a value (empty where the key stood alone) into a change of the directives; null: not a
 * value of this key.
 */
export type DirectiveReader<Patch> = (value: string) => Patch | null;

/**
 * Reads the header first and then every block of the text; later words win. A block with
 * `model=NAME` counts only for that model. An unknown key or a bad value is an error.
 */
export function readDirectiveWords<Patch extends object>(
  readers: Readonly<Record<string, DirectiveReader<Patch>>>,
  header: string,
  text: string,
  model: string,
):
  | { readonly ok: true; readonly patch: Partial<Patch> }
  | { readonly ok: false; readonly message: string } {
  const patch: Partial<Patch> = {};
  for (const block of [header, ...[...text.matchAll(BLOCK)].map((match) => match[1] ?? "")]) {
    const words = (block.match(/(?:[^\s"]|"[^"]*")+/g) ?? []).map(splitWord);
    const scope = words.find((word) => word.key === "model");
    if (scope !== undefined && scope.value !== model) continue;
    for (const { key, value } of words) {
      if (key === "model") continue;
      const read = Object.hasOwn(readers, key) ? readers[key]?.(value) : undefined;
      if (read === undefined)
        return {
          ok: false,
          message: `sandbox: unknown directive "${key}"; there are ${Object.keys(readers).join(", ")}, model`,
        };
      if (read === null)
        return { ok: false, message: `sandbox: "${value}" is no value for the directive "${key}"` };
      Object.assign(patch, read);
    }
  }
  return { ok: true, patch };
}

/** The text without its directive blocks. */
export function stripDirectives(text: string): string {
  return text.replaceAll(BLOCK, "").trim();
}

/** A whole number up to ten million, or null. */
export function readCount(value: string): number | null {
  const number = /^\d{1,8}$/.test(value) ? Number(value) : MAX_NUMBER + 1;
  return number <= MAX_NUMBER ? number : null;
}

function splitWord(word: string): { key: string; value: string } {
  const at = word.indexOf("=");
  if (at === -1) return { key: word, value: "" };
  return { key: word.slice(0, at), value: word.slice(at + 1).replaceAll('"', "") };
}
