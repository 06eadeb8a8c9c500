/** The processes that a process has started, by the system's own list (Linux; elsewhere none). */
import { existsSync, readdirSync, readFileSync } from "node:fs";

export function childrenOf(parent: number): number[] {
  if (!existsSync("/proc")) return [];
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      const of = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
      return of === parent ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}
