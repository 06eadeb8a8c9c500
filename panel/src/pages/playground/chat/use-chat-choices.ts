/** What is chosen for a chat, as the address says it: protocol, models, and which chat it is. */
import { useMemo } from "react";
import type { PanelModel } from "../../../../../src/contract/panel/panel-model.ts";
import { useFilters } from "../../../ui/use-filters.ts";
import { DIALECTS, SPOKEN_PROTOCOLS, type SpokenProtocol } from "./chat-dialect.ts";

const FIRST = { protocol: "openai", model: "", with: "", talk: "", key: "" };

interface ChatChoices {
  readonly protocol: SpokenProtocol;
  /** Those that speak it. */
  readonly offered: readonly PanelModel[];
  /** Of the first and the second lane; empty: none is offered. */
  readonly models: readonly [first: string, second: string];
  /** Whether two models are chosen. */
  readonly compares: boolean;
  /** The chat of this browser that the address names; empty: a new one. */
  readonly talk: string;
  set(choices: Partial<typeof FIRST>): void;
}

/** @param all of them, which the key may call. */
export function useChatChoices(all: readonly PanelModel[]): ChatChoices {
  const { values, set } = useFilters(FIRST);
  const protocol = SPOKEN_PROTOCOLS.find((one) => one === values.protocol) ?? "openai";
  const { endpoint } = DIALECTS[protocol];
  const offered = useMemo(
    () => all.filter(({ endpoints }) => endpoints.includes(endpoint)),
    [all, endpoint],
  );
  const idOf = (wanted: string): string =>
    (offered.find(({ id }) => id === wanted) ?? offered[0])?.id ?? "";
  const first = idOf(values.model);
  const second = idOf(values.with);
  const models = useMemo(() => [first, second] as const, [first, second]);
  return { protocol, offered, models, compares: values.with !== "", talk: values.talk, set };
}
