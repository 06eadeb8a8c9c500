/** `tollgate catalogue schema`: the JSON Schema by which editors complete a catalogue file. */
import type { Command } from "../command.ts";
import { done } from "../command.ts";

export const catalogueSchema: Command = {
  name: "catalogue schema",
  summary: "The JSON Schema of a catalogue file, for editors",
  positionals: [],
  options: {},
  async run() {
    const { publishedSchema } = await import("../../catalogue/published-schema.ts");
    const schema = publishedSchema();
    return done(schema, JSON.stringify(schema, null, 2));
  },
};
