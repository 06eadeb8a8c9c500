/**
 * Reads the families: which model stands behind `<prefix>-*large*`, `*medium*` and `*small*` ids.
 */
import type { Families, FamilyTier, Model } from "./catalogue.ts";
import { familyModel } from "./family-model.ts";
import type { Place, YamlReader } from "./yaml-reader.ts";
import { meantBy, shown } from "./yaml-reader.ts";

const DEFAULT_PREFIX = "claude";
const TIERS = ["large", "medium", "small"] as const;
const DEFAULT_MATCH: Record<FamilyTier["tier"], string> = {
  large: "opus",
  medium: "sonnet",
  small: "haiku",
};
const TIER_FIELDS = ["match", "model", "listAs"] as const;
const WORD = /^[a-z0-9][a-z0-9._-]{0,63}$/;

export const NO_FAMILIES: Families = { prefix: DEFAULT_PREFIX, tiers: [] };

/**
 * `models` has an entry for every id of the file; undefined for one whose own entry is mistaken.
 */
export function readFamilies(
  reader: YamlReader,
  at: Place,
  models: ReadonlyMap<string, Model | undefined>,
): Families | undefined {
  const fields = reader.fields(at, ["prefix", ...TIERS]);
  if (fields === undefined) return undefined;
  const prefix = fields.prefix === undefined ? DEFAULT_PREFIX : readWord(reader, fields.prefix);
  const tiers: FamilyTier[] = [];
  for (const tier of TIERS) {
    const place = fields[tier];
    const read =
      place && readTier(reader, place, { tier, prefix: prefix ?? DEFAULT_PREFIX }, models);
    if (read === undefined) continue;
    if (tiers.some((other) => other.match === read.match))
      reader.note(place ?? at, "family_match_taken", { match: read.match });
    tiers.push(read);
  }
  if (prefix === undefined) return undefined;
  for (const { tier, listAs, model } of tiers) {
    const said = (reader.fields(fields[tier] ?? at, TIER_FIELDS) ?? {}).listAs;
    const found = familyModel({ prefix, tiers }, listAs);
    if (said === undefined || found === model) continue;
    reader.note(said, "listed_for_another", { id: listAs, model, picked: found });
  }
  return { prefix, tiers };
}

function readTier(
  reader: YamlReader,
  at: Place,
  { tier, prefix }: { readonly tier: FamilyTier["tier"]; readonly prefix: string },
  models: ReadonlyMap<string, Model | undefined>,
): FamilyTier | undefined {
  const fields = reader.fields(at, TIER_FIELDS);
  if (fields === undefined) return undefined;
  const match = fields.match === undefined ? DEFAULT_MATCH[tier] : readWord(reader, fields.match);
  const modelPlace = reader.required(at, fields, "model");
  const model = modelPlace && reader.text(modelPlace);
  if (modelPlace === undefined || model === undefined || match === undefined) return undefined;
  if (!models.has(model)) {
    reader.note(modelPlace, "unknown_name", {
      what: "model",
      name: model,
      ...meantBy(model, models.keys()),
    });
    return undefined;
  }
  const found = models.get(model);
  if (found !== undefined && (found.type !== "chat" || !found.endpoints.includes("messages"))) {
    reader.note(modelPlace, "serves_no_messages", { model });
    return undefined;
  }
  const listAs =
    fields.listAs === undefined ? `${prefix}-${match}-latest` : readWord(reader, fields.listAs);
  if (fields.listAs !== undefined && listAs !== undefined && models.has(listAs))
    reader.note(fields.listAs, "listed_as_model", { id: listAs });
  return listAs === undefined ? undefined : { tier, match, model, listAs };
}

function readWord(reader: YamlReader, at: Place): string | undefined {
  const text = reader.text(at);
  if (text === undefined || WORD.test(text)) return text;
  reader.note(at, "expected", { what: "family_word", got: shown(at) });
  return undefined;
}
