/**
 * The turns of a talk with one model, or with two side by side, and every change of them: what a
 * request is sent with is decided here, and where its answer belongs.
 */
import { newId } from "../new-id.ts";
import { NO_ANSWER } from "./conversation.ts";
import type { Answer, AnswerTurn, Exchange, Lane, Message, Turn } from "./conversation.ts";

const MOST_LANES = 2;

export interface TalkState {
  readonly id: string;
  /** One for each model. */
  readonly lanes: readonly Lane[];
}

/** One lane as it is to be sent, up to what asks for an answer. */
export interface Plan {
  readonly lane: number;
  readonly turns: Lane;
}

export type TalkChange =
  | { readonly kind: "opened"; readonly talk: TalkState }
  | {
      readonly kind: "asked";
      readonly plan: Plan;
      readonly run: Pick<AnswerTurn, "runId" | "model"> & { readonly sent: string };
    }
  | {
      readonly kind: "answered";
      readonly runId: string;
      readonly answer: Answer;
      readonly exchange: Exchange;
    }
  /** The second model knows all that was said so far. */
  | { readonly kind: "lane_added" }
  | { readonly kind: "lane_left"; readonly lane: number };

export function newTalk(lanes = 1): TalkState {
  return { id: newId(), lanes: Array.from({ length: lanes }, () => []) };
}

export function changeTalk(state: TalkState, change: TalkChange): TalkState {
  switch (change.kind) {
    case "opened":
      return change.talk;
    case "asked": {
      const { lane, turns } = change.plan;
      if (lane >= state.lanes.length) return state;
      return { ...state, lanes: state.lanes.with(lane, [...turns, begunAnswer(change.run)]) };
    }
    case "answered":
      return { ...state, lanes: state.lanes.map((lane) => withAnswer(lane, change)) };
    case "lane_added": {
      const [first = []] = state.lanes;
      if (state.lanes.length >= MOST_LANES) return state;
      // An answer that is still coming comes in its own lane only.
      return { ...state, lanes: [...state.lanes, first.filter((turn) => !isRunning(turn))] };
    }
    case "lane_left":
      if (state.lanes.length === 1) return state;
      return { ...state, lanes: state.lanes.filter((_, at) => at !== change.lane) };
  }
}

type Asked = Extract<TalkChange, { readonly kind: "asked" }>;

function begunAnswer({ runId, model, sent }: Asked["run"]): Turn {
  return {
    kind: "answer",
    runId,
    model,
    answer: NO_ANSWER,
    exchange: { state: "running", requestId: null, status: null, sent, received: "", error: null },
  };
}

type Answered = Extract<TalkChange, { readonly kind: "answered" }>;

/** The same lane where it has no such answer: it was edited away, or another talk was opened. */
function withAnswer(lane: Lane, { runId, answer, exchange }: Answered): Lane {
  const at = lane.findLastIndex((turn) => turn.kind === "answer" && turn.runId === runId);
  const turn = lane[at];
  return turn?.kind === "answer" ? lane.with(at, { ...turn, answer, exchange }) : lane;
}

export function isRunning(turn: Turn | undefined): turn is AnswerTurn {
  return turn?.kind === "answer" && turn.exchange.state === "running";
}

export function isTalkRunning({ lanes }: TalkState): boolean {
  return lanes.some((lane) => isRunning(lane.at(-1)));
}

/** Said to every model. */
export function planToSay({ lanes }: TalkState, message: Message): readonly Plan[] {
  const turn: Turn = { kind: "user", id: newId(), ...message };
  return lanes.map((lane, at) => ({ lane: at, turns: [...lane, turn] }));
}

/** Said anew, to every model to which it was said; what came after it is gone. */
export function planToEdit(
  { lanes }: TalkState,
  turnId: string,
  message: Message,
): readonly Plan[] {
  return lanes.flatMap((lane, at) => {
    const place = lane.findIndex((turn) => turn.kind === "user" && turn.id === turnId);
    if (place === -1) return [];
    const turn: Turn = { kind: "user", id: turnId, ...message };
    return [{ lane: at, turns: [...lane.slice(0, place), turn] }];
  });
}

/**
 * Another answer in the place of that one; what came after it is gone. Of its own lane only: both
 * have it where the second model was added later.
 */
export function planToRepeat({ lanes }: TalkState, lane: number, runId: string): readonly Plan[] {
  const turns = lanes[lane] ?? [];
  const place = turns.findIndex((turn) => turn.kind === "answer" && turn.runId === runId);
  return place === -1 ? [] : [{ lane, turns: turns.slice(0, place) }];
}

/** What tools returned, to the model that called them. */
export function planToReturn(
  { lanes }: TalkState,
  lane: number,
  results: Extract<Turn, { kind: "results" }>["results"],
): readonly Plan[] {
  const turns = lanes[lane];
  return turns === undefined ? [] : [{ lane, turns: [...turns, { kind: "results", results }] }];
}
