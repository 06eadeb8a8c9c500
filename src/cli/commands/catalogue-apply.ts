/** `tollgate catalogue apply`: puts a catalogue file in force. */
import { commandActor } from "../../business/operate/operator.ts";
import type { Command, Outcome } from "../command.ts";
import { done } from "../command.ts";
import { lossLines, marginLines } from "../margin-lines.ts";
import { withDb } from "../with-db.ts";

export const catalogueApply: Command = {
  name: "catalogue apply",
  summary:
    "Put a catalogue in force as a new price version; what runs keeps the price it was admitted with",
  positionals: [{ name: "FILE", help: "the catalogue, YAML" }],
  options: {
    "allow-loss": {
      value: null,
      help: "put it in force also where something is sold below its cost",
    },
  },
  async run({ positionals, options, deps }): Promise<Outcome> {
    const source = await deps.readFile(positionals["FILE"] ?? "");
    const request = {
      source,
      env: deps.env,
      appliedBy: deps.user,
      actor: commandActor(deps.user),
      allowLoss: options.has("allow-loss"),
    };
    const { applyCatalogue } = await import("../../business/operate/apply-catalogue.ts");
    const { describeChanges } = await import("../../catalogue/compare-catalogues.ts");
    const { mistakeLine } = await import("../../catalogue/live-catalogue.ts");
    const outcome = await withDb(deps, (db) => applyCatalogue(db, request));
    switch (outcome.kind) {
      case "mistakes":
        return {
          kind: "bad",
          json: { ok: false, mistakes: outcome.mistakes, warnings: outcome.warnings },
          text: [...outcome.mistakes.map(mistakeLine), "Nothing was applied."].join("\n"),
        };
      case "below-cost": {
        const { margins, warnings } = outcome;
        const text = [
          ...marginLines(margins, deps.colour),
          ...lossLines(margins),
          "Nothing was applied. Give --allow-loss to put it in force all the same.",
        ].join("\n");
        return { kind: "bad", json: { ok: false, belowCost: true, margins, warnings }, text };
      }
      case "unchanged":
        return done(
          { ok: true, version: outcome.version.version, changed: false },
          `This catalogue is in force already, as version ${outcome.version.version}.`,
        );
      case "applied": {
        const { version, changes, margins, warnings } = outcome;
        const lines =
          changes === null
            ? ["The version before cannot be read here, so there is nothing to compare with."]
            : describeChanges(changes);
        const text = [
          ...warnings.map((warning) => `warning: ${mistakeLine(warning)}`),
          ...lines,
          ...marginLines(margins, deps.colour),
          ...lossLines(margins),
          `Version ${version.version} is in force.`,
        ].join("\n");
        return done(
          { ok: true, version: version.version, changed: true, changes, margins, warnings },
          text,
        );
      }
    }
  },
};
