/** `tollgate catalogue schema`: the JSON Schema by which editors complete a catalogue file. */
import { publishedSchema } from "../../catalogue/published-schema.ts";
import type { Command } from "../command.ts";
import { done } from "../command.ts";

export const catalogueSchema: Command = {
  name: "catalogue schema",
  summary: "The JSON Schema of a catalogue file, for editors",
  positionals: [],
  options: {},
  run() {
    const schema = publishedSchema();
    return Promise.resolve(done(schema, JSON.stringify(schema, null, 2)));
  },
};
