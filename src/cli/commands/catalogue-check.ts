/** `tollgate catalogue check`: checks a catalogue file without changing anything. */
import { mistakeLine } from "../../catalogue/live-catalogue.ts";
import { parseCatalogue } from "../../catalogue/parse-catalogue.ts";
import type { Command, Outcome } from "../command.ts";
import { done } from "../command.ts";

export const catalogueCheck: Command = {
  name: "catalogue check",
  summary: "Check a catalogue file: every mistake at once; nothing is changed",
  positionals: [{ name: "FILE", help: "the catalogue, YAML" }],
  options: {},
  async run({ positionals, deps }): Promise<Outcome> {
    const reading = parseCatalogue(await deps.readFile(positionals["FILE"] ?? ""), deps.env);
    const warnings = reading.warnings.map((warning) => `warning: ${mistakeLine(warning)}`);
    if (!reading.ok) {
      const count = reading.mistakes.length === 1 ? "1 mistake" : `${reading.mistakes.length} mistakes`;
      const text = [...reading.mistakes.map(mistakeLine), ...warnings, count].join("\n");
      return { kind: "bad", json: { ok: false, mistakes: reading.mistakes, warnings: reading.warnings }, text };
    }
    const { models, upstreams } = reading.catalogue;
    const text = [...warnings, `The catalogue is in order: ${models.size} models, ${upstreams.size} upstreams.`].join("\n");
    return done({ ok: true, models: [...models.keys()], upstreams: [...upstreams.keys()], warnings: reading.warnings }, text);
  },
};
