/**
 * Longer than so many tokens, in Russian, where the number takes the genitive: длиннее 1 токена, 21
 * токена, 22 токенов.
 */
import { plural } from "./plural.ts";

export function longerThanTokens(count: number, shown: string): string {
  return `длиннее ${shown} ${plural("ru", count, { one: "токена", other: "токенов" })}`;
}
