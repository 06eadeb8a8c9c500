/**
 * A figure that is written already, with what is not its size stepping back: the unit, and the
 * kopecks of a sum. What is more than one figure stays as it is.
 */
import type { ReactNode } from "react";
import { stepsOf } from "./steps-of.ts";

export function Stepped({ text }: { readonly text: string }): ReactNode {
  const steps = stepsOf(text);
  if (steps === null) return text;
  const [before, size, rest] = steps;
  return (
    <>
      {before === "" ? null : <span className="steps-back">{before}</span>}
      {size}
      {rest === "" ? null : <span className="steps-back">{rest}</span>}
    </>
  );
}
