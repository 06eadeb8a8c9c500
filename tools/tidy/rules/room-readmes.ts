/**
 * Every room says in a README of a screen what it owns and what it promises; the project's own is a
 * screen, too.
 */
import type { Finding } from "../finding.ts";
import type { Project } from "../read-project.ts";

const MAX_LINES = 80;
const OTHER_ROOMS = /^(sandbox|test|tools|bench|panel|packages\/[^/]+)\//;

export function checkRoomReadmes(project: Project): Finding[] {
  const rooms = new Set<string>();
  for (const file of project.sources) {
    if (file.room !== null) rooms.add(`src/${file.room}`);
    else {
      const room = OTHER_ROOMS.exec(file.path)?.[1];
      if (room !== undefined) rooms.add(room);
    }
  }
  const findings: Finding[] = [];
  const own = ["README.md", "README.ru.md"].filter((path) => project.paths.has(path));
  for (const path of [...own, ...[...rooms].map((room) => `${room}/README.md`)]) {
    const text = project.texts.find((file) => file.path === path)?.text;
    const rule = "room-readme";
    if (text === undefined)
      findings.push({
        path,
        line: 1,
        rule,
        message: "write it: purpose, owns, does not own, invariants",
      });
    else if (text.split("\n").length > MAX_LINES)
      findings.push({
        path,
        line: MAX_LINES,
        rule,
        message: `keep it to a screen (${MAX_LINES} lines); details belong in docs/`,
      });
  }
  return findings;
}
