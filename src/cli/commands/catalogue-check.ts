/** `tollgate catalogue check`: checks a catalogue file without changing anything. */
import { mistakeLine } from "../../catalogue/live-catalogue.ts";
import { parseCatalogue } from "../../catalogue/parse-catalogue.ts";
import type { Command, Outcome } from "../command.ts";
import { done } from "../command.ts";
import { countNouns } from "../count-nouns.ts";

export const catalogueCheck: Command = {
  name: "catalogue check",
  summary: "Check a catalogue file: every mistake at once; nothing is changed",
  positionals: [{ name: "FILE", help: "the catalogue, YAML" }],
  options: {},
  async run({ positionals, deps }): Promise<Outcome> {
    const reading = parseCatalogue(await deps.readFile(positionals["FILE"] ?? ""), deps.env);
    const warnings = reading.warnings.map((warning) => `warning: ${mistakeLine(warning)}`);
    if (!reading.ok) {
      const text = [...reading.mistakes.map(mistakeLine), ...warnings, countNouns(reading.mistakes.length, "mistake")].join("\n");
      return { kind: "bad", json: { ok: false, mistakes: reading.mistakes, warnings: reading.warnings }, text };
    }
    const { models, upstreams } = reading.catalogue;
    const counts = `${countNouns(models.size, "model")}, ${countNouns(upstreams.size, "upstream")}`;
    const text = [...warnings, `The catalogue is in order: ${counts}.`].join("\n");
    return done({ ok: true, models: [...models.keys()], upstreams: [...upstreams.keys()], warnings: reading.warnings }, text);
  },
};
