/** Which model a family id such as `claude-sonnet-4-5` stands for (contract §5). */
import type { Families } from "./catalogue.ts";

/**
 * Returns the model's id, or null when the id is not of the family or names no tier of it. Exact
 * model ids go first: ask the catalogue before this.
 */
export function familyModel(families: Families, id: string): string | null {
  if (!id.startsWith(`${families.prefix}-`)) return null;
  const rest = id.slice(families.prefix.length + 1);
  return families.tiers.find((tier) => rest.includes(tier.match))?.model ?? null;
}
