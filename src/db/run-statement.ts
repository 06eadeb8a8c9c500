/** Runs a declared statement on a client of the driver, for what this room asks on clients of its own. */
import type { ClientBase } from "pg";
import type { Statement } from "./statement.ts";
import { valueParsers } from "./value-parsers.ts";

/** Reads its rows as a statement declares them, however the client was made. */
export async function runStatement<Parameters extends readonly unknown[], Row>(
  client: Pick<ClientBase, "query">,
  { text }: Statement<Parameters, Row>,
  parameters: NoInfer<Parameters>,
): Promise<Row[]> {
  const { rows } = await client.query({ text, values: [...parameters], types: valueParsers });
  return rows as Row[];
}
