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

interface Reported {
  readonly atMs: number;
  readonly blocks: PromptBlocks;
  readonly promptTokens: number;
  readonly cachedTokens: number;
}

export function createReportedCaches(clock: Pick<Clock, "monotonicMs">): ReportedCaches {
  /** In the order in which they were told. */
  const reported = new Map<string, Reported>();
  const nameOf = ({ keyId, upstream, model }: CacheOwner): string =>
    `${keyId} ${upstream} ${model}`;

  return {
    remember(owner, usage, blocks) {
      // The usual case of a process whose upstreams cache nothing costs nothing.
      if (usage.cachedInputTokens === 0 && reported.size === 0) return;
      const name = nameOf(owner);
      reported.delete(name);
      if (usage.cachedInputTokens === 0) return;
      const promptTokens = promptTokensOf(usage);
      reported.set(name, {
        atMs: clock.monotonicMs(),
        blocks: blocks(),
        promptTokens,
        cachedTokens: usage.cachedInputTokens,
      });
      const [oldest] = reported.keys();
      if (reported.size > MOST_ENTRIES && oldest !== undefined) reported.delete(oldest);
    },

    cachedTokens(owner, blocks) {
      const name = nameOf(owner);
      const last = reported.get(name);
      if (last === undefined) return 0;
      if (clock.monotonicMs() - last.atMs > KEPT_MS) {
        reported.delete(name);
        return 0;
      }
      return Math.min(
        last.cachedTokens,
        Math.floor(last.promptTokens * sharedPart(last.blocks, blocks())),
      );
    },
  };
}
