/** The installation's settings for a person at a terminal, by the names that `settings set` takes. */
import type { InstallationSettings, Settings } from "../contract/panel/operator-settings.ts";
import { alignColumns } from "./align-columns.ts";
import { SETTINGS_OPTIONS } from "./settings-options.ts";

export function settingsLines({ version, changedBy, changedAt, settings }: InstallationSettings) {
  const head =
    changedAt === null
      ? "as it is by default"
      : `version ${version}, by ${changedBy ?? ""} at ${changedAt}`;
  const rows = Object.entries(SETTINGS_OPTIONS).map(([name, { show }]) => [
    `  ${name}`,
    shown(show(settings)),
  ]);
  return [head, ...alignColumns([...rows, ...pictureRows(settings)])].join("\n");
}

function pictureRows({ brand }: Settings): string[][] {
  return (["logo", "favicon"] as const).map((use) => [
    `  ${use}`,
    brand[use] === null ? "none" : "of its own",
  ]);
}

function shown(value: string | null): string {
  return value === null || value === "" ? "none" : value;
}
