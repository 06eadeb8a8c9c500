/**
 * How a sentence writes the figures that it names: plainly where programs, logs and commands read
 * it, in the way of the reader's language on a page.
 */

export interface Figures {
  /** Of decimal roubles. `unit`: what the plain sentence calls them. */
  roubles(amount: string, unit?: "RUB" | "roubles"): string;
  /** Of whole nano-roubles, as the ledger counts. */
  nano(amount: string): string;
  count(count: number): string;
}

export const PLAIN_FIGURES: Figures = {
  roubles: (amount, unit = "RUB") => `${amount} ${unit}`,
  nano: (amount) => amount,
  count: String,
};
