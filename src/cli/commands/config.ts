/** `tollgate config`: shows the settings in force, or all that there are. */
import { alignColumns } from "../align-columns.ts";
import type { Command } from "../command.ts";
import { done, failed } from "../command.ts";

export const config: Command = {
  name: "config",
  summary: "The settings in force, secrets masked",
  positionals: [],
  options: {
    example: {
      value: null,
      help: "print a .env to begin with, which has every setting and its default",
    },
  },
  async run({ options, deps }) {
    if (options.has("example")) {
      const example = deps.exampleEnvironment();
      return done({ example }, example.trimEnd());
    }
    const reading = deps.describeConfig();
    if (!reading.ok) return failed(reading.mistakes.join("\n"));
    return done(reading.values, alignColumns(Object.entries(reading.values)).join("\n"));
  },
};
