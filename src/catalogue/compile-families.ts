/** Which model stands behind `<prefix>-*large*`, `*medium*` and `*small*` ids. */
import type { Static } from "typebox";
import type { CATALOGUE_FILE } from "./catalogue-schema.ts";
import type { Families, FamilyTier, Model } from "./catalogue.ts";
import { familyModel } from "./family-model.ts";
import type { Draft, Found } from "./schema-parts.ts";
import { meantBy } from "./yaml-reader.ts";

type WrittenFamilies = NonNullable<Static<typeof CATALOGUE_FILE>["families"]>;
type Models = ReadonlyMap<string, Model | undefined>;

const TIERS = ["large", "medium", "small"] as const;

/** `models` has an entry for every id of the file; undefined for one that is mistaken. */
export function compileFamilies(
  draft: Draft<WrittenFamilies>,
  models: Models,
  { at, reader }: Found,
): Families {
  const { prefix = "claude" } = draft;
  const tiers: FamilyTier[] = [];
  for (const tier of TIERS) {
    const place = reader.child(at, tier);
    const { match, model, listAs = `${prefix}-${match}-latest` } = draft[tier] ?? {};
    if (match === undefined || model === undefined) continue;
    if (!isFamilyModel(model, models, { at: reader.child(place, "model"), reader })) continue;
    if (reader.has(place, "listAs") && models.has(listAs))
      reader.note(reader.child(place, "listAs"), "listed_as_model", { id: listAs });
    if (tiers.some((other) => other.match === match))
      reader.note(place, "family_match_taken", { match });
    tiers.push({ tier, match, model, listAs });
  }
  for (const { tier, listAs, model } of tiers) {
    const picked = familyModel({ prefix, tiers }, listAs);
    const listed = reader.child(at, tier, "listAs");
    if (draft[tier]?.listAs !== undefined && picked !== model)
      reader.note(listed, "listed_for_another", { id: listAs, model, picked });
  }
  return { prefix, tiers };
}

function isFamilyModel(model: string, models: Models, { at, reader }: Found): boolean {
  const found = models.get(model);
  if (!models.has(model))
    reader.note(at, "unknown_name", {
      what: "model",
      name: model,
      ...meantBy(model, models.keys()),
    });
  else if (found !== undefined && (found.type !== "chat" || !found.endpoints.includes("messages")))
    reader.note(at, "serves_no_messages", { model });
  else return true;
  return false;
}
