/** What PostgreSQL says of a statement before it runs: Parse and Describe of the extended protocol. */
import type { Client, Connection, Submittable } from "pg";

export interface DescribedColumn {
  readonly name: string;
  readonly dataTypeID: number;
  /** 0 where the column is no column of a table. */
  readonly tableID: number;
  readonly columnID: number;
}

export interface Description {
  /** Type OIDs. */
  readonly parameters: readonly number[];
  readonly columns: readonly DescribedColumn[];
}

/** Rejects with what the server says where it cannot parse the text. */
export async function describeStatement(client: Client, text: string): Promise<Description> {
  const { promise, resolve, reject } = Promise.withResolvers<Description>();
  client.query(new Describing(text, resolve, reject));
  return promise;
}

/** A query of a kind of its own: the driver calls `submit` and hands over the server's messages. */
class Describing implements Submittable {
  readonly #text: string;
  readonly #resolve: (description: Description) => void;
  readonly #reject: (error: unknown) => void;
  #parameters: readonly number[] = [];
  #columns: readonly DescribedColumn[] = [];

  constructor(
    text: string,
    resolve: (description: Description) => void,
    reject: (error: unknown) => void,
  ) {
    this.#text = text;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  submit(connection: Connection): void {
    // The one message that the driver does not hand over.
    connection.removeAllListeners("parameterDescription");
    connection.once(
      "parameterDescription",
      ({ dataTypeIDs }: { readonly dataTypeIDs: readonly number[] }) => {
        this.#parameters = dataTypeIDs;
      },
    );
    connection.parse({ name: "", text: this.#text, types: [] }, true);
    connection.describe({ type: "S", name: "" }, true);
    connection.sync();
  }

  handleRowDescription({ fields }: { readonly fields: readonly DescribedColumn[] }): void {
    this.#columns = fields;
  }

  handleError(error: unknown): void {
    this.#reject(error);
  }

  handleReadyForQuery(): void {
    this.#resolve({ parameters: this.#parameters, columns: this.#columns });
  }
}
