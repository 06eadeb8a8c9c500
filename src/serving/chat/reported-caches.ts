/**
 * What upstreams have told of cached prompts lately: by it an answer that is broken off before it
 * tells its usage is counted (contract §6).
 */
import type { Clock } from "../../kernel/clock.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { promptTokensOf, type TokenUsage } from "../../kernel/token-usage.ts";
import { sharedPart, type PromptBlocks } from "../../protocol/prompt-blocks.ts";

/** As long as vendors keep a prompt at least. */
const KEPT_MS = 5 * 60_000;
const MOST_ENTRIES = 1000;

/** Whose answer of which model of which upstream. */
export interface CacheOwner {
  readonly keyId: Uuid;
  readonly upstream: string;
  readonly model: string;
}

export interface ReportedCaches {
  /** Forgets what was told before, also where nothing was cached this time. */
  remember(owner: CacheOwner, usage: TokenUsage, blocks: () => PromptBlocks): void;
  /**
   * How many tokens of this prompt were told to be cached when they were asked for last: of no more
   * than the two prompts share. 0 where nothing is known.
   */
  cachedTokens(owner: CacheOwner, blocks: () => PromptBlocks): number;
}

interface Told {
  readonly atMs: number;
  readonly blocks: PromptBlocks;
  readonly promptTokens: number;
  readonly cachedTokens: number;
}

export function createReportedCaches(clock: Pick<Clock, "monotonicMs">): ReportedCaches {
  /** In the order in which they were told. */
  const told = new Map<string, Told>();
  const nameOf = ({ keyId, upstream, model }: CacheOwner): string =>
    `${keyId} ${upstream} ${model}`;

  return {
    remember(owner, usage, blocks) {
      // The usual case of a process whose upstreams cache nothing costs nothing.
      if (usage.cachedInputTokens === 0 && told.size === 0) return;
      const name = nameOf(owner);
      told.delete(name);
      if (usage.cachedInputTokens === 0) return;
      const promptTokens = promptTokensOf(usage);
      told.set(name, {
        atMs: clock.monotonicMs(),
        blocks: blocks(),
        promptTokens,
        cachedTokens: usage.cachedInputTokens,
      });
      const [oldest] = told.keys();
      if (told.size > MOST_ENTRIES && oldest !== undefined) told.delete(oldest);
    },

    cachedTokens(owner, blocks) {
      const name = nameOf(owner);
      const last = told.get(name);
      if (last === undefined) return 0;
      if (clock.monotonicMs() - last.atMs > KEPT_MS) {
        told.delete(name);
        return 0;
      }
      return Math.min(
        last.cachedTokens,
        Math.floor(last.promptTokens * sharedPart(last.blocks, blocks())),
      );
    },
  };
}
