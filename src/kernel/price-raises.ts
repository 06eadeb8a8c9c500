/**
 * What makes an answer dearer than its tokens alone, as the caller asked for it and as the answer
 * told it: data, without any rule.
 */

export type VariantField = "serviceTier" | "speed" | "inferenceGeo";

export const VARIANT_FIELDS = [
  "serviceTier",
  "speed",
  "inferenceGeo",
] as const satisfies readonly VariantField[];

/**
 * One thing in a request that makes its upstream dearer, as the caller wrote it. `param` is the
 * path of the field.
 */
export type PriceRaise =
  | {
      readonly kind: "variant";
      readonly param: string;
      readonly field: VariantField;
      readonly value: string;
    }
  /**
   * A paid tool that the upstream runs itself, by the catalogue's name; `maxUses` as the caller
   * bounds it, null where it does not.
   */
  | {
      readonly kind: "tool";
      readonly param: string;
      readonly tool: string;
      readonly maxUses: number | null;
    }
  /**
   * A listed field, or a type of tool, that no price of the catalogue can name: only its `free` can
   * allow it, by this name.
   */
  | { readonly kind: "unpriced"; readonly param: string; readonly name: string }
  /** The prompt carries, or the answer may carry, such tokens. */
  | {
      readonly kind: "media";
      readonly param: string;
      readonly media: "audioInput" | "audioOutput" | "imageOutput";
    }
  /** Part of the prompt is to be written to a cache of this life. */
  | { readonly kind: "cacheWrite"; readonly param: string; readonly life: "5m" | "1h" };

/** Most requests: nothing of the kind. */
export const NO_RAISES: readonly PriceRaise[] = [];

/** What an answer says was really used; empty where it is silent. */
export interface UsedRaises {
  readonly variants: Readonly<Partial<Record<VariantField, string>>>;
  /** Calls of the upstream's own tools so far, by the catalogue's name of the tool. */
  readonly toolCalls: Readonly<Record<string, number>>;
  /**
   * What the upstream says that it charges us, as decimal text in the upstream's currency; null
   * where it does not.
   */
  readonly costText: string | null;
}

export const NOTHING_USED: UsedRaises = { variants: {}, toolCalls: {}, costText: null };
