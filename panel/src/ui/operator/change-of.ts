/** How much a figure has changed, for the eye: a share of what it was. */

/** `0.12` stands for 12 % more; null: there was nothing to compare with. */
export function changeOf(now: number, before: number): number | null {
  return before === 0 ? null : (now - before) / Math.abs(before);
}

/** With its sign, by the language's own way to write a share or a figure. */
export function signed(change: number, write: (size: number) => string): string {
  const text = write(Math.abs(change));
  // What is rounded to nothing has no direction.
  if (text === write(0)) return text;
  return `${change < 0 ? "−" : "+"}${text}`;
}
