/** Reads from the body of a request what makes its upstream dearer, by the tables beside it. */
import type { Fault } from "../../kernel/faults.ts";
import { NO_RAISES, type PriceRaise } from "../../kernel/price-raises.ts";
import { isRecord } from "../json/is-record.ts";
import { FOREIGN_FIELDS, foreignIdFault } from "./foreign-ids.ts";
import { RAISING_FIELDS, type RaisingField } from "./raising-fields.ts";
import { dearerMembers } from "./raising-tool-members.ts";
import { toolOf, toolOfMember, type KnownTool } from "./vendor-tools.ts";
import { PartWalk } from "./walk-parts.ts";

/**
 * The names under which a member may come besides its own: Google's endpoints take both spellings
 * of their fields.
 */
const SPELLINGS: ReadonlyMap<string, string> = new Map(
  [...RAISING_FIELDS.keys()].map((name) => [camelCase(name), name]),
);
/** Gemini's own settings that raise nothing. */
const FREE_OF_GOOGLE: ReadonlySet<string> = new Set([
  "thinking_config",
  "thinkingConfig",
  "safety_settings",
  "safetySettings",
]);
/** One answer is asked for under another name by OpenAI: both are told as this (openAiFast). */
const SAME_TIER: ReadonlyMap<string, string> = new Map([["fast", "priority"]]);
/** `extra_body` may hold another; more of them than this are no request of anyone's. */
const MOST_NESTED = 3;

function camelCase(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** The catalogue's name of a tier, as a request or an answer has it. */
export function tierName(value: string): string {
  return SAME_TIER.get(value) ?? value;
}

export type RaisesReading =
  | { readonly ok: true; readonly raises: readonly PriceRaise[] }
  | { readonly ok: false; readonly fault: Fault };

const NO_OWN_IDS: ReadonlySet<string> = new Set();
const NOTHING_RAISED: RaisesReading = { ok: true, raises: NO_RAISES };

/**
 * `body` is a validated request of any protocol. The shared empty list where nothing in it is
 * dearer; a fault where it names an object of the operator's account at the vendor. `walked`: its
 * members whose parts are looked at, where they are not those of most protocols. `ownIds`: its
 * members that name what is kept here.
 */
export function readRaises(
  body: Record<string, unknown>,
  walked?: readonly string[],
  ownIds: ReadonlySet<string> = NO_OWN_IDS,
): RaisesReading {
  const reader = new BodyReader();
  reader.members(body, "", ownIds);
  reader.tools(body["tools"]);
  const parts = new PartWalk(walked);
  parts.walk(body);
  const foreignId = reader.foreignId ?? parts.foreignId;
  if (foreignId !== null) return { ok: false, fault: foreignIdFault(foreignId) };
  return reader.raises.length + parts.raises.length === 0
    ? NOTHING_RAISED
    : { ok: true, raises: [...reader.raises, ...parts.raises] };
}

class BodyReader {
  readonly raises: PriceRaise[] = [];
  foreignId: string | null = null;
  #nested = 0;

  members(holder: Record<string, unknown>, path: string, ownIds = NO_OWN_IDS): void {
    for (const name in holder) {
      if (!Object.hasOwn(holder, name) || ownIds.has(name)) continue;
      const value = holder[name];
      if (value === null) continue;
      const field = RAISING_FIELDS.get(name) ?? RAISING_FIELDS.get(SPELLINGS.get(name) ?? "");
      if (FOREIGN_FIELDS.get(name)?.(value) === true) this.foreignId ??= path + name;
      else if (field !== undefined) this.#member(path + name, value, field);
    }
  }

  tools(tools: unknown): void {
    if (!Array.isArray(tools)) return;
    for (const [index, tool] of (tools as readonly unknown[]).entries())
      if (isRecord(tool)) this.#tool(tool, `tools[${index}]`);
  }

  #member(param: string, value: unknown, field: RaisingField): void {
    const { meaning, base } = field;
    if (base.some((one) => one === value)) return;
    switch (meaning.kind) {
      case "variant": {
        const name = typeof value === "string" ? value : JSON.stringify(value);
        this.raises.push({
          kind: "variant",
          param,
          field: meaning.field,
          value: meaning.field === "serviceTier" ? tierName(name) : name,
        });
        return;
      }
      case "tool":
        if (!isSwitchedOff(value))
          this.raises.push({ kind: "tool", param, tool: meaning.tool, maxUses: null });
        return;
      case "modalities":
        return this.#modalities(param, value);
      case "media":
        this.raises.push({ kind: "media", param, media: meaning.media });
        return;
      case "members":
        return this.#within(param, value);
      case "cacheWrite":
        return;
      case "cacheLife":
        return this.#cacheLife(param, value, field);
      case "unpriced":
        return this.#unpriced(param, value);
    }
  }

  #modalities(param: string, value: unknown): void {
    for (const modality of Array.isArray(value) ? (value as readonly unknown[]) : [value]) {
      if (modality === "audio") this.raises.push({ kind: "media", param, media: "audioOutput" });
      else if (modality === "image")
        this.raises.push({ kind: "media", param, media: "imageOutput" });
      else if (modality !== "text")
        this.raises.push({ kind: "unpriced", param, name: "modalities" });
    }
  }

  /** Without a life of its own it is written, or not, as without the field. */
  #cacheLife(param: string, value: unknown, { base }: RaisingField): void {
    const life = isRecord(value) ? value["ttl"] : undefined;
    if (life === undefined || life === null || base.some((one) => one === life)) return;
    this.raises.push({ kind: "cacheWrite", param: `${param}.ttl`, life: "1h" });
  }

  /** Some endpoints (LiteLLM's) take what stands in `extra_body` for members of the body. */
  #within(param: string, value: unknown): void {
    this.#nested += 1;
    if (isRecord(value) && this.#nested <= MOST_NESTED) this.members(value, `${param}.`);
    else this.raises.push({ kind: "unpriced", param, name: "extra_body" });
  }

  #unpriced(param: string, value: unknown): void {
    if (asksForNothing(value)) return;
    const name = param.slice(param.lastIndexOf(".") + 1);
    if (name !== "google" || !isRecord(value)) {
      this.raises.push({ kind: "unpriced", param, name: SPELLINGS.get(name) ?? name });
      return;
    }
    this.members(value, `${param}.`);
    const known = (member: string): boolean =>
      FREE_OF_GOOGLE.has(member) || RAISING_FIELDS.has(member) || FOREIGN_FIELDS.has(member);
    if (!Object.keys(value).every(known)) this.raises.push({ kind: "unpriced", param, name });
  }

  #tool(tool: Record<string, unknown>, param: string): void {
    for (const member of Object.keys(tool)) {
      const known = toolOfMember(member);
      if (known !== null) this.#vendorTool(known, param, tool);
    }
    const { type } = tool;
    if (type === undefined || type === null || type === "function" || type === "custom") return;
    this.#vendorTool(toolOf(tool), param, tool);
  }

  #vendorTool({ name, kind }: KnownTool, param: string, tool: Record<string, unknown>): void {
    if (kind === "client" || kind === "free") return;
    if (kind !== "paid") {
      this.raises.push({ kind: "unpriced", param, name });
      return;
    }
    this.raises.push({ kind: "tool", param, tool: name, maxUses: maxUsesOf(tool) });
    for (const member of dearerMembers(name, tool))
      this.raises.push({
        kind: "unpriced",
        param: `${param}.${member.path}`,
        name: member.name,
      });
  }
}

function isSwitchedOff(value: unknown): boolean {
  return (
    value === false || (isRecord(value) && (value["mode"] === "off" || value["enable"] === false))
  );
}

/** Switched off, or an empty list or object. */
function asksForNothing(value: unknown): boolean {
  return (
    isSwitchedOff(value) ||
    (typeof value === "object" && value !== null && Object.keys(value).length === 0)
  );
}

function maxUsesOf(tool: Record<string, unknown>): number | null {
  const { max_uses: most } = tool;
  return typeof most === "number" && Number.isSafeInteger(most) && most >= 0 ? most : null;
}
