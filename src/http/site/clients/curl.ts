/**
 * Requests as a shell sends them: to be copied, and run by the suite as they stand. What only an
 * earlier answer can tell is a variable, `$TASK_ID`.
 */
import { markup, type Markup } from "../markup.ts";
import { KEY } from "../page-parts.ts";
import { inShell } from "./client-samples.ts";

/** A longer body is written over several lines. */
const LONGEST_LINE = 80;

/** @param headers besides those that every request has, each `name: value`. */
export function jsonCurl(
  origin: string,
  path: string,
  body: object,
  headers: readonly string[] = [],
): Markup {
  const line = JSON.stringify(body);
  const text = line.length > LONGEST_LINE ? JSON.stringify(body, null, 2) : line;
  return markup`curl ${origin}${path} \\
  -H "Authorization: Bearer ${KEY}" \\
  -H "Content-Type: application/json" \\
${headers.map((header) => markup`  -H "${header}" \\\n`)}  -d '${withVariables(inShell(text))}'`;
}

/** Without a body. */
export function plainCurl(
  origin: string,
  path: string,
  method: "GET" | "POST" | "DELETE" = "GET",
): Markup {
  const by = method === "GET" ? "" : `-X ${method} `;
  return markup`curl ${by}"${origin}${path}" \\
  -H "Authorization: Bearer ${KEY}"`;
}

/** A form; `@name` is a file. */
export function formCurl(
  origin: string,
  path: string,
  fields: Readonly<Record<string, string>>,
): Markup {
  const parts = Object.entries(fields).map(
    ([name, value]) => markup` \\\n  -F '${inShell(`${name}=${value}`)}'`,
  );
  return markup`curl ${origin}${path} \\
  -H "Authorization: Bearer ${KEY}"${parts}`;
}

/** A text that is a variable leaves the single quotes of the body, in which a shell fills in none. */
function withVariables(body: string): string {
  return body.replaceAll(/"\$([A-Z_]+)"/g, (_, name: string) => `"'"$${name}"'"`);
}
