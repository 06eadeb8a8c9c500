/**
 * Inside the rooms that have folders of their own order, these stand in tiers: one imports from the
 * tiers below it, never from its own or from above.
 */
import type { Finding } from "../finding.ts";
import type { Project, SourceFile } from "../read-project.ts";

/** From the ground up. "" is what lies in the room itself. */
const TIERS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  serving: [
    [""],
    ["admission", "money", "responses", "routing", "webhooks"],
    ["chat", "files", "models"],
    ["calls"],
    ["tasks", "batches"],
  ],
  business: [
    [""],
    ["account-log", "accounts", "mail", "past", "settings"],
    ["telegram"],
    ["alerts", "keys", "members", "payments", "requests"],
    ["panel"],
    ["operate", "try"],
    ["doctor", "watch"],
  ],
  http: [[""], ["routes"], ["panel", "site"]],
};
/** Puts its room together, so it knows every folder; nothing of the room imports it. */
const COMPOSES = "src/http/create-http-server.ts";

export function checkRoomOrder(project: Project): Finding[] {
  return project.sources.flatMap((file) =>
    file.isTest || file.path === COMPOSES ? [] : checkFile(file),
  );
}

function checkFile(file: SourceFile): Finding[] {
  const room = file.room ?? "";
  const tiers = file.path.startsWith("src/") ? TIERS[room] : undefined;
  if (tiers === undefined) return [];
  const rule = "room-order";
  const from = folderIn(room, file.path);
  const tier = tierOf(tiers, from);
  if (tier < 0) {
    const message = `${room}/${from} has no tier yet; give it one in tools/tidy/rules/room-order.ts`;
    return [{ path: file.path, line: 1, rule, message }];
  }
  return file.imports.flatMap(({ target, line }) => {
    if (target === null || !target.startsWith(`src/${room}/`)) return [];
    const to = folderIn(room, target);
    if (to === from || tierOf(tiers, to) < tier) return [];
    const message = `${room}/${from} may not import ${room}/${to}: it stands no lower; move what both need below them`;
    return [{ path: file.path, line, rule, message }];
  });
}

function folderIn(room: string, path: string): string {
  const [folder, rest] = path.slice(`src/${room}/`.length).split("/");
  return rest === undefined ? "" : (folder ?? "");
}

function tierOf(tiers: readonly (readonly string[])[], folder: string): number {
  return tiers.findIndex((tier) => tier.includes(folder));
}
