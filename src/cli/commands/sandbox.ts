/** `tollgate sandbox`: runs the sandbox upstream alone. */
import type { Command } from "../command.ts";
import { usage } from "../command.ts";
import { readWholeNumber } from "../read-values.ts";

export const sandbox: Command = {
  name: "sandbox",
  summary: "Run the built-in sandbox upstream alone, until Ctrl-C",
  positionals: [],
  options: {
    port: {
      value: "N",
      help: "where it listens, on 127.0.0.1; 0 takes a free one",
      required: true,
    },
  },
  async run({ options, deps }) {
    const text = options.get("port") ?? "";
    const port = readWholeNumber(text, 0, 65_535);
    return port === null
      ? usage(`--port "${text}" is not a port: a whole number from 0 to 65535`)
      : { kind: "exit", code: await deps.sandbox(port) };
  },
};
