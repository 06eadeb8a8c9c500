/**
 * Loaded into a gateway before its own modules (`--import`), by the torture's own test: an answer
 * whose caller went away becomes one that is released. It changes the text of one module as it is
 * loaded, and fails where that module is not as it was.
 */
import { registerHooks } from "node:module";

const MODULE = "/src/serving/chat/chat-outcome.ts";
const NAMED = "export function answered(";
const PLANTED = `
export function answered(...given: Parameters<typeof answeredAsItWas>): ChatOutcome {
  return given[1].state === "client_gone" ? released("client_gone", null) : answeredAsItWas(...given);
}
function answeredAsItWas(`;

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith(MODULE)) return loaded;
    const text = Buffer.from(loaded.source as Uint8Array).toString();
    if (!text.includes(NAMED)) throw new Error(`${MODULE} has no place for the planted bug`);
    return { ...loaded, source: text.replace(NAMED, () => PLANTED) };
  },
});
