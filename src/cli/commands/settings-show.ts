/** `tollgate settings show`: what operators decided about the installation. */
import type { Command } from "../command.ts";
import { done } from "../command.ts";
import { settingsLines } from "../settings-lines.ts";
import { withDb } from "../with-db.ts";

export const settingsShow: Command = {
  name: "settings show",
  summary: "Show what the installation is called, and who may sign up",
  positionals: [],
  options: {},
  async run({ deps }) {
    const { settingsView } = await import("../../business/settings/read-settings.ts");
    const { newestSettings } = await import("../../business/settings/settings.store.ts");
    const shown = await withDb(deps, async (db) => settingsView(await newestSettings(db)));
    return done(shown, settingsLines(shown));
  },
};
