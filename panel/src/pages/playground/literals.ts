/**
 * Writes values into code: as words of a shell and as literals of Python. Those of TypeScript are
 * JSON.
 */

/** In single quotes, which nothing inside can end. */
export function inShell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** @param indent columns before the line on which it begins. */
export function inPython(value: unknown, indent = 0): string {
  const inner = " ".repeat(indent + 4);
  const end = `\n${" ".repeat(indent)}`;
  if (Array.isArray(value)) {
    if (value.length === 0) return "[]";
    return `[${value.map((one) => `\n${inner}${inPython(one, indent + 4)},`).join("")}${end}]`;
  }
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value);
    if (entries.length === 0) return "{}";
    return `{${entries.map(([name, one]) => `\n${inner}${JSON.stringify(name)}: ${inPython(one, indent + 4)},`).join("")}${end}}`;
  }
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  return JSON.stringify(value);
}
