/**
 * What is in force, asked of the database each time: a change holds at once in every process, and
 * nothing that is decided by it is decided by what a process remembers.
 */
import type { InstallationSettings, Settings } from "../../contract/panel/operator-settings.ts";
import type { Queryable } from "../../db/database.ts";
import { DEFAULT_SETTINGS } from "./default-settings.ts";
import { newestSettings, type SettingsVersion } from "./settings.store.ts";

export async function readSettings(q: Queryable): Promise<Settings> {
  return settingsOf(await newestSettings(q));
}

/** With all parts, also of a version that was written before some of them were known. */
export function settingsOf(stored: Pick<SettingsVersion, "settings"> | null): Settings {
  const { brand, signUp, announcement } = DEFAULT_SETTINGS;
  return {
    brand: { ...brand, ...stored?.settings.brand },
    signUp: { ...signUp, ...stored?.settings.signUp },
    announcement: { ...announcement, ...stored?.settings.announcement },
  };
}

export function settingsView(stored: SettingsVersion | null): InstallationSettings {
  return {
    version: stored?.version ?? 0,
    changedAt: stored?.changedAt.toISOString() ?? null,
    changedBy: stored?.changedBy ?? null,
    settings: settingsOf(stored),
  };
}
