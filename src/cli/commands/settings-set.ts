/** `tollgate settings set`: decides anew about the installation, as the panel's page does. */
import { commandActor } from "../../business/operate/operator.ts";
import type { Settings } from "../../contract/panel/operator-settings.ts";
import type { Command } from "../command.ts";
import { done, failed, usage } from "../command.ts";
import { settingsLines } from "../settings-lines.ts";
import { SETTINGS_OPTIONS } from "../settings-options.ts";
import { withDb } from "../with-db.ts";

export const settingsSet: Command = {
  name: "settings set",
  summary: "Change what the installation is called, and who may sign up; pictures in the panel",
  positionals: [],
  options: Object.fromEntries(
    Object.entries(SETTINGS_OPTIONS).map(([name, { value, help }]) => [name, { value, help }]),
  ),
  async run({ options, deps }) {
    if (options.size === 0) return usage("say what to change");
    for (const [name, text] of options) {
      const { value } = SETTINGS_OPTIONS[name] ?? { value: "" };
      if (text.trim() === "") return usage(`--${name} takes ${value}`);
    }
    const { changeSettings } = await import("../../business/operate/change-settings.ts");
    const { createMistakeFinder } = await import("../../contract/find-mistakes.ts");
    const { SettingsBody } = await import("../../contract/panel/operator-settings.ts");
    const findMistakes = createMistakeFinder(SettingsBody.properties.settings);
    const wrong: string[] = [];
    const changed = await withDb(deps, (db) =>
      changeSettings(db, commandActor(deps.user), (before) => {
        let after: Settings = before;
        for (const [name, text] of options) {
          const read = SETTINGS_OPTIONS[name]?.read(text, after) ?? null;
          if (read === null) wrong.push(`--${name} "${text}" is none that it takes`);
          else after = read;
        }
        wrong.push(...findMistakes(after).map(({ message }) => message));
        return wrong.length === 0 ? after : before;
      }),
    );
    if (wrong.length > 0) return failed(`${wrong.join("; ")}; nothing was changed`);
    return done(changed, settingsLines(changed));
  },
};
