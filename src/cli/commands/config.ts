/** `tollgate config`: shows the settings in force. */
import { alignColumns } from "../align-columns.ts";
import type { Command } from "../command.ts";
import { done, failed } from "../command.ts";

export const config: Command = {
  name: "config",
  summary: "The settings in force, secrets masked",
  positionals: [],
  options: {},
  async run({ deps }) {
    const reading = deps.describeConfig();
    if (!reading.ok) return failed(reading.mistakes.join("\n"));
    return done(reading.values, alignColumns(Object.entries(reading.values)).join("\n"));
  },
};
