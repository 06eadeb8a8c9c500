/**
 * The ids of the models that a catalogue's text names, whether or not it is one that this program
 * would take today.
 */
import { isMap, parseDocument } from "yaml";

/** Empty where the text has none. */
export function modelIdsIn(source: string): ReadonlySet<string> {
  const models = parseDocument(source, { logLevel: "silent" }).get("models");
  if (!isMap(models)) return new Set();
  return new Set(models.items.map(({ key }) => String(key)));
}
