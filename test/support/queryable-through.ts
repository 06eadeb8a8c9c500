/** What stores take, over a function that a test puts between them and a database. */
import type { Tx } from "../../src/db/database.ts";
import type { Statement } from "../../src/db/statement.ts";

type Ask = (text: string, parameters: readonly unknown[]) => Promise<readonly unknown[]>;

export function queryableThrough(ask: Ask): Tx {
  return {
    run: async <Parameters extends readonly unknown[], Row>(
      { text }: Statement<Parameters, Row>,
      parameters: Parameters,
    ) => (await ask(text, parameters)) as Row[],
    query: async <Row>(text: string, parameters: readonly unknown[] = []) =>
      (await ask(text, parameters)) as Row[],
  };
}
