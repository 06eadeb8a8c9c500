/** A talk: its turns, the answer that is coming, and what can be done next. */
import { useCallback, useEffect, useRef, useState } from "react";
import { DIALECTS, type SpokenProtocol } from "./chat-dialect.ts";
import { isReadable, type ChatSettings } from "./chat-settings.ts";
import { NO_ANSWER } from "./conversation.ts";
import type { Turn } from "./conversation.ts";
import { runExchange } from "./run-exchange.ts";

export interface ChatWish {
  readonly protocol: SpokenProtocol;
  readonly model: string;
  readonly payerHash: string;
  readonly settings: ChatSettings;
}

export interface Chat {
  readonly turns: readonly Turn[];
  readonly running: boolean;
  /** Adds a turn and asks for an answer. */
  say(turn: Turn): void;
  stop(): void;
  /** Asks once more for the last answer. */
  retry(): void;
  reset(): void;
}

export function useChat({ protocol, model, payerHash, settings }: ChatWish): Chat {
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const ask = (talk: readonly Turn[]): void => {
    // A figure that its field could not read would be sent as another.
    if (!isReadable(settings)) return;
    const controller = new AbortController();
    running.current?.abort();
    running.current = controller;
    const dialect = DIALECTS[protocol];
    const sent = JSON.stringify(dialect.writeRequest(model, settings, talk));
    const exchange = {
      state: "running",
      requestId: null,
      status: null,
      sent,
      received: "",
      error: null,
    } as const;
    setTurns([...talk, { kind: "answer", answer: NO_ANSWER, exchange }]);
    void runExchange({
      dialect,
      payerHash,
      sent,
      signal: controller.signal,
      onChange: (answer, now) => {
        // Another talk has begun since.
        if (running.current !== controller) return;
        setTurns([...talk, { kind: "answer", answer, exchange: now }]);
      },
    });
  };
  const last = turns.at(-1);
  return {
    turns,
    running: last?.kind === "answer" && last.exchange.state === "running",
    say: (turn) => ask([...turns, turn]),
    stop: useCallback(() => running.current?.abort(), []),
    retry: () => ask(last?.kind === "answer" ? turns.slice(0, -1) : turns),
    reset() {
      running.current?.abort();
      running.current = null;
      setTurns([]);
    },
  };
}
