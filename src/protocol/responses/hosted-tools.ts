/**
 * The tools of a Responses request that only an upstream of this protocol can run, or explain to
 * its model: clients send some of them unasked, so they are left out where they cannot be had
 * (contract §12).
 */
import type { HostedTool } from "../hosted-tool.ts";
import { isRecord } from "../json/is-record.ts";
import { dearerMembers } from "../raises/raising-tool-members.ts";
import { toolOf } from "../raises/vendor-tools.ts";
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
/** What has no type that could be named. */
const UNKNOWN = { type: "unknown" };

export function hostedTools(tools: unknown): readonly HostedTool[] {
  if (!Array.isArray(tools) || tools.every(isTranslated)) return NONE;
  return (tools as readonly unknown[]).flatMap((tool, index) => {
    if (isTranslated(tool)) return [];
    const fields = isRecord(tool) ? tool : {};
    const { name, kind } = toolOf(typeof fields["type"] === "string" ? fields : UNKNOWN);
    const dearer = dearerMembers(name, fields).map((member) => member.name);
    return [{ index, name, kind, dearer, foreign: namesForeign(tool) }];
  });
}

function namesForeign(tool: unknown): boolean {
  const walk = new PartWalk(["tools"]);
  walk.walk({ tools: [tool] });
  return walk.foreignId !== null;
}
