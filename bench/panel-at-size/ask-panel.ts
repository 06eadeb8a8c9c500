/** Asks for what pages of the panel ask, several times each, and takes the times. */
import type { PanelPerson } from "../../test/support/panel-session.ts";
import { median } from "../figure.ts";
import type { PanelAsk } from "./panel-asks.ts";

export interface AskTimes {
  readonly ask: PanelAsk;
  /** The status that was not 200, NO_NEXT_PAGE, or what went wrong; null: nothing. */
  readonly trouble: string | null;
  readonly firstMs: number;
  readonly medianMs: number;
  readonly worstMs: number;
  /** Of one answer, unpacked; of a file, of its first piece. */
  readonly bytes: number;
}

export interface PanelPeople {
  readonly member: PanelPerson;
  readonly operator: PanelPerson;
}

interface Answered {
  readonly status: number;
  readonly ms: number;
  readonly bytes: number;
}

/** There was nothing to ask for: no failure. */
export const NO_NEXT_PAGE = "no next page";

const PATIENCE_MS = 60_000;
/** What takes longer altogether is not asked for again. */
const ENOUGH_MS = 10_000;

export async function askPanel(
  { member, operator }: PanelPeople,
  ask: PanelAsk,
  times: number,
): Promise<AskTimes> {
  const person = ask.by === "member" ? member : operator;
  const answers: Answered[] = [];
  try {
    const path = ask.next === true ? await nextPage(person, ask.path) : ask.path;
    if (path === null) return timesOf(ask, [], NO_NEXT_PAGE);
    const began = performance.now();
    while (
      answers.length < times &&
      (answers.length === 0 || performance.now() - began < ENOUGH_MS)
    ) {
      const answer = await take(person, path, ask.file === true);
      answers.push(answer);
      if (answer.status !== 200) return timesOf(ask, answers, String(answer.status));
    }
    return timesOf(ask, answers, null);
  } catch (error) {
    return timesOf(ask, answers, error instanceof Error ? error.message : String(error));
  }
}

function timesOf(ask: PanelAsk, answers: readonly Answered[], trouble: string | null): AskTimes {
  const ms = answers.map((answer) => answer.ms);
  return {
    ask,
    trouble,
    firstMs: ms[0] ?? Number.NaN,
    medianMs: median(ms),
    worstMs: Math.max(...ms),
    bytes: answers[0]?.bytes ?? 0,
  };
}

/** Null: the first page is the last one. */
async function nextPage(person: PanelPerson, path: string): Promise<string | null> {
  const answer = await person.ask("GET", path);
  if (answer.status !== 200) throw new Error(`first page: ${answer.status}`);
  const { nextCursor } = answer.json<{ readonly nextCursor: string | null }>();
  if (nextCursor === null) return null;
  return `${path}${path.includes("?") ? "&" : "?"}cursor=${encodeURIComponent(nextCursor)}`;
}

/** Until the last byte is there; of a file, its first piece. */
async function take(person: PanelPerson, path: string, file: boolean): Promise<Answered> {
  const cookie = [person.cookie, person.device].filter((pair) => pair !== null).join("; ");
  const began = performance.now();
  const response = await fetch(`${person.url}/panel/api/${path}`, {
    headers: { origin: person.url, "user-agent": "a test's browser", cookie },
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  const { status } = response;
  if (!file || response.body === null) {
    const { byteLength } = await response.arrayBuffer();
    return { status, ms: performance.now() - began, bytes: byteLength };
  }
  const reader = response.body.getReader();
  const { value } = await reader.read();
  const ms = performance.now() - began;
  await reader.cancel();
  return { status, ms, bytes: value?.byteLength ?? 0 };
}
