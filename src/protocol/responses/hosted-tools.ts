/**
 * The tools of a Responses request that only an upstream of this protocol can run, or explain to
 * its model: clients send some of them unasked, so they are left out where they cannot be had
 * (contract §12).
 */
import type { HostedTool } from "../hosted-tool.ts";
import { isRecord } from "../json/is-record.ts";
import { toolOfType } from "../raises/vendor-tools.ts";
import { PartWalk } from "../raises/walk-parts.ts";

/** What is said in the words of every protocol. */
const TRANSLATED: ReadonlySet<unknown> = new Set([
  "function",
  "custom",
  "namespace",
  "tool_search",
]);

export function isTranslated(tool: unknown): tool is Record<string, unknown> {
  return isRecord(tool) && TRANSLATED.has(tool["type"]);
}

const NONE: readonly HostedTool[] = [];

export function hostedTools(tools: unknown): readonly HostedTool[] {
  if (!Array.isArray(tools) || tools.every(isTranslated)) return NONE;
  return (tools as readonly unknown[]).flatMap((tool, index) => {
    if (isTranslated(tool)) return [];
    const { type } = isRecord(tool) ? tool : {};
    const { name, kind } = toolOfType(typeof type === "string" ? type : "unknown");
    return [{ index, name, kind, foreign: namesForeign(tool) }];
  });
}

function namesForeign(tool: unknown): boolean {
  const walk = new PartWalk(["tools"]);
  walk.walk({ tools: [tool] });
  return walk.foreignId !== null;
}
