/**
 * A talk as the browser keeps it: what was said and answered, and whom it belongs to; without what
 * went over the line, which is as much again.
 */
import { SPOKEN_PROTOCOLS, type SpokenProtocol } from "./chat-dialect.ts";
import { FIRST_SETTINGS } from "./chat-settings.ts";
import type { ChatSettings } from "./chat-settings.ts";
import type { Lane, Turn } from "./conversation.ts";

/** Of another form nothing is read: it was kept by pages that are no more. */
const FORM = 1;
const TITLE_CHARACTERS = 80;

export interface TalkHead {
  readonly id: string;
  /** The member, and the account that paid. */
  readonly owner: string;
  readonly title: string;
  /** Milliseconds since 1970. */
  readonly keptAt: number;
  /** How much of the browser's room it takes. */
  readonly characters: number;
}

export interface StoredTalk {
  readonly form: typeof FORM;
  readonly id: string;
  readonly owner: string;
  readonly protocol: SpokenProtocol;
  readonly models: readonly string[];
  readonly settings: ChatSettings;
  readonly lanes: readonly Lane[];
}

export function storedTalk(talk: Omit<StoredTalk, "form">): StoredTalk {
  const { id, owner, protocol, models, settings, lanes } = talk;
  return { form: FORM, id, owner, protocol, models, settings, lanes: lanes.map(keptLane) };
}

export function headOf(talk: StoredTalk, keptAt: number): TalkHead {
  const { id, owner } = talk;
  return { id, owner, title: titleOf(talk.lanes), keptAt, characters: JSON.stringify(talk).length };
}

/** Null: it is none of that owner's, or cannot be read. */
export function readTalk(value: unknown, owner: string): StoredTalk | null {
  const talk = value as Partial<StoredTalk> | null | undefined;
  if (talk?.form !== FORM || talk.owner !== owner) return null;
  const { id, protocol, models, settings, lanes } = talk;
  if (typeof id !== "string" || !Array.isArray(models) || !Array.isArray(lanes)) return null;
  const spoken = SPOKEN_PROTOCOLS.find((one) => one === protocol);
  if (spoken === undefined || lanes.length === 0) return null;
  return {
    form: FORM,
    id,
    owner,
    protocol: spoken,
    models: models as readonly string[],
    // What has been added to them since is as at first.
    settings: { ...FIRST_SETTINGS, ...settings },
    lanes: lanes as readonly Lane[],
  };
}

/** The first words that were said; empty: only pictures. */
function titleOf(lanes: readonly Lane[]): string {
  const first = lanes[0]?.find((turn) => turn.kind === "user" && turn.text.trim() !== "");
  const text = first?.kind === "user" ? first.text.trim().replaceAll(/\s+/g, " ") : "";
  const letters = [...text];
  return letters.length <= TITLE_CHARACTERS
    ? text
    : `${letters.slice(0, TITLE_CHARACTERS).join("").trimEnd()}…`;
}

function keptLane(lane: Lane): Lane {
  return lane.map((turn): Turn => {
    if (turn.kind !== "answer") return turn;
    const { state, requestId, status } = turn.exchange;
    return {
      ...turn,
      exchange: {
        // Nothing still comes when it is opened again.
        state: state === "running" ? "stopped" : state,
        requestId,
        status,
        sent: "",
        received: "",
        error: null,
      },
    };
  });
}
