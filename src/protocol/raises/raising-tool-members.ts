/**
 * Members of a tool that make a call of it dearer than the one price that it has in the catalogue.
 */
import { isRecord } from "../json/is-record.ts";
import type { FactName } from "./fact-source.ts";

export interface RaisingToolMember {
  /** Values that ask for nothing dearer, besides null; what is not written is one of them. */
  readonly base: readonly (string | number)[];
  /** Where it stands in the tool: its container's, or its own. */
  readonly within: "container" | "environment" | null;
  readonly source: FactName;
}

const own = (...base: (string | number)[]): RaisingToolMember => ({
  base,
  within: null,
  source: "openAiSdk",
});

/**
 * By the tool's name in the catalogue, then by the member's. A container is billed by its memory; an
 * image by the model that makes it, its size, how good it is, and each picture on the way to it.
 */
export const RAISING_TOOL_MEMBERS: ReadonlyMap<
  string,
  ReadonlyMap<string, RaisingToolMember>
> = new Map([
  [
    "code_interpreter",
    new Map<string, RaisingToolMember>([
      ["memory_limit", { base: ["1g"], within: "container", source: "openAiShell" }],
    ]),
  ],
  [
    "shell",
    new Map<string, RaisingToolMember>([
      ["memory_limit", { base: ["1g"], within: "environment", source: "openAiShell" }],
    ]),
  ],
  [
    "image_generation",
    new Map<string, RaisingToolMember>([
      ["model", own()],
      ["quality", own("auto", "low", "medium", "high")],
      ["size", own("auto", "1024x1024", "1024x1536", "1536x1024")],
      ["partial_images", own(0)],
      ["output_format", own("png", "webp", "jpeg")],
      ["input_fidelity", own("low")],
    ]),
  ],
]);

/** A member of a tool that asks for more than the tool's price. */
export interface DearerMember {
  /** Within the tool. */
  readonly path: string;
  /** In `surcharges.free` of the catalogue. */
  readonly name: string;
}

const NONE: readonly DearerMember[] = [];

/** `name`: of the tool, in the catalogue. */
export function dearerMembers(
  name: string,
  tool: Readonly<Record<string, unknown>>,
): readonly DearerMember[] {
  const members = RAISING_TOOL_MEMBERS.get(name);
  if (members === undefined) return NONE;
  return [...members].flatMap(([member, { base, within }]) => {
    const holder = within === null ? tool : tool[within];
    const value = isRecord(holder) ? holder[member] : undefined;
    if (value === undefined || value === null || base.some((one) => one === value)) return [];
    return [{ path: within === null ? member : `${within}.${member}`, name: `${name}.${member}` }];
  });
}
