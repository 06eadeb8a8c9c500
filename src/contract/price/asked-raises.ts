/** What a request that was admitted asks for beside tokens, all of it with a price. */
import type { VariantField } from "../../kernel/price-raises.ts";

export interface AskedRaises {
  /** At most one for each field. */
  readonly variants: readonly AskedVariant[];
  /** At most one for each tool. */
  readonly tools: readonly AskedTool[];
  /** Kinds of tokens that the prompt has, or that the answer may have. */
  readonly media: readonly ("audioInput" | "audioOutput" | "imageOutput")[];
}

export interface AskedVariant {
  readonly field: VariantField;
  readonly value: string;
}

export interface AskedTool {
  readonly tool: string;
  /** Calls to hold for: the caller's bound, else the catalogue's. */
  readonly mostCalls: number;
  /** The caller's bound, which no call goes beyond; null where it names none. */
  readonly maxUses: number | null;
  /** Calls that are charged where the answer tells of none. */
  readonly silentCalls: number;
}
