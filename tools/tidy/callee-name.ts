/** What a call names: the function, or the last part of `object.method`; "" for any other callee. */
import type { Expression } from "oxc-parser";

export function calleeName(callee: Expression): string {
  if (callee.type === "Identifier") return callee.name;
  return callee.type === "MemberExpression" && callee.property.type === "Identifier"
    ? callee.property.name
    : "";
}
