/** A talk with its models: its turns, the answers that are coming, and what can be done next. */
import { useEffect, useReducer, useRef } from "react";
import { newId } from "../new-id.ts";
import { DIALECTS, type SpokenProtocol } from "./chat-dialect.ts";
import { isSendable, type ChatSettings } from "./chat-settings.ts";
import type { Lane, Message, ToolResult } from "./conversation.ts";
import { runExchange } from "./run-exchange.ts";
import {
  changeTalk,
  isRunning,
  isTalkRunning,
  newTalk,
  planToEdit,
  planToRepeat,
  planToReturn,
  planToSay,
} from "./talk-state.ts";
import type { Plan, TalkState } from "./talk-state.ts";

interface TalkWish {
  readonly protocol: SpokenProtocol;
  /** By the number of the lane. */
  readonly models: readonly string[];
  /** How many there are at first. */
  readonly lanes: number;
  readonly payerHash: string;
  readonly settings: ChatSettings;
}

export interface TalkInHand extends TalkState {
  readonly running: boolean;
  say(message: Message): void;
  edit(turnId: string, message: Message): void;
  /** Asks once more for that answer. */
  repeat(lane: number, runId: string): void;
  giveBack(lane: number, results: readonly ToolResult[]): void;
  stop(): void;
  /** A new one, with as many models. */
  begin(): void;
  open(talk: TalkState): void;
  addLane(): void;
  leaveLane(lane: number): void;
}

export function useTalk(wish: TalkWish): TalkInHand {
  const { protocol, models, payerHash, settings } = wish;
  const [state, change] = useReducer(changeTalk, wish.lanes, newTalk);
  /** By the name of the run. */
  const runs = useRef(new Map<string, AbortController>());
  const stop = (): void => runs.current.forEach((run) => run.abort());
  const open = (talk: TalkState): void => {
    stop();
    change({ kind: "opened", talk });
  };
  useEffect(() => {
    const all = runs.current;
    return () => all.forEach((run) => run.abort());
  }, []);
  const stopLane = (lane: Lane | undefined): void => {
    const last = lane?.at(-1);
    if (isRunning(last)) runs.current.get(last.runId)?.abort();
  };
  const ask = (plan: Plan): void => {
    const model = models[plan.lane];
    // A figure that its field could not read would be sent as another.
    if (model === undefined || model === "" || !isSendable(settings)) return;
    stopLane(state.lanes[plan.lane]);
    const runId = newId();
    const controller = new AbortController();
    runs.current.set(runId, controller);
    const dialect = DIALECTS[protocol];
    const sent = JSON.stringify(dialect.writeRequest(model, settings, plan.turns));
    change({ kind: "asked", plan, run: { runId, model, sent } });
    void runExchange({
      dialect,
      payerHash,
      sent,
      signal: controller.signal,
      onChange: (answer, exchange) => change({ kind: "answered", runId, answer, exchange }),
    }).finally(() => runs.current.delete(runId));
  };
  return {
    ...state,
    running: isTalkRunning(state),
    say: (message) => planToSay(state, message).forEach(ask),
    edit: (turnId, message) => planToEdit(state, turnId, message).forEach(ask),
    repeat: (lane, runId) => planToRepeat(state, lane, runId).forEach(ask),
    giveBack: (lane, results) => planToReturn(state, lane, results).forEach(ask),
    stop,
    begin: () => open(newTalk(state.lanes.length)),
    open,
    addLane: () => change({ kind: "lane_added" }),
    leaveLane(lane) {
      stopLane(state.lanes[lane]);
      change({ kind: "lane_left", lane });
    },
  };
}
