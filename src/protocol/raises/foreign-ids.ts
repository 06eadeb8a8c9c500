/**
 * The fields that name objects in the operator's own account at a vendor, which all callers share:
 * none of them is taken (contract §5).
 */
import { Fault } from "../../kernel/faults.ts";
import { isRecord } from "../json/is-record.ts";

/**
 * Members of the body, and of `extra_body` and `google` in it. Only what `named` finds in the value
 * is an id.
 */
export const FOREIGN_FIELDS: ReadonlyMap<string, (value: unknown) => boolean> = new Map<
  string,
  (value: unknown) => boolean
>([
  ["previous_response_id", isGiven],
  ["conversation", isGiven],
  ["conversation_id", isGiven],
  ["thread_id", isGiven],
  ["assistant_id", isGiven],
  ["agent_id", isGiven],
  ["vector_store_ids", isGiven],
  ["cached_content", isGiven],
  ["cachedContent", isGiven],
  ["prompt", (value) => isRecord(value) && isGiven(value["id"])],
  ["container", namesContainer],
  ["prompt_cache_options", (value) => isRecord(value) && isGiven(value["comparison_response_id"])],
]);

/** Members of a part of the prompt or of a tool, at any depth. */
const FOREIGN_PARTS: ReadonlySet<string> = new Set([
  "container",
  "container_id",
  "file_id",
  "file_ids",
  "vector_store_ids",
  "collection_ids",
  "knowledge_id",
  "skill_id",
  "tunnel_id",
  "cached_content",
]);

function isGiven(value: unknown): boolean {
  return (
    value !== undefined &&
    value !== null &&
    value !== "" &&
    !(Array.isArray(value) && value.length === 0)
  );
}

/**
 * A container to go on with, or one with a skill of the operator's; a fresh one with the vendor's
 * own skills is none.
 */
function namesContainer(container: unknown): boolean {
  if (!isRecord(container)) return isGiven(container);
  const { id, skills } = container;
  return (
    isGiven(id) ||
    (Array.isArray(skills) &&
      skills.some((skill) => !isRecord(skill) || skill["type"] !== "anthropic"))
  );
}

/**
 * The id in a part of the prompt or in a tool; what a tool has made and left in a result loads
 * nothing.
 */
export function isForeignPart(name: string, part: Record<string, unknown>): boolean {
  if (name === "container") return typeof part[name] === "string";
  if (!FOREIGN_PARTS.has(name) || !isGiven(part[name])) return false;
  const { type } = part;
  return !(typeof type === "string" && /_(?:output|result)$/.test(type));
}

export function foreignIdFault(param: string): Fault {
  const message = `'${param}' names an object of the provider's account, which is not kept apart for you here, so it is not taken. Send the content itself.`;
  return new Fault("invalid_request", { message, param });
}
