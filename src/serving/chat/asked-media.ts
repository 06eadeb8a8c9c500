/**
 * Believes a usage that tells of audio or images only where the request has them: else they are
 * plain tokens.
 */
import type { AskedRaises } from "../../contract/price/asked-raises.ts";
import type { TokenUsage } from "../../kernel/token-usage.ts";

/**
 * The same usage; media that the request does not have are plain tokens in it. The totals stand.
 */
export function withAskedMedia(usage: TokenUsage, asked: AskedRaises | null): TokenUsage {
  const { media, ...plain } = usage;
  if (media === undefined) return usage;
  const has = (kind: AskedRaises["media"][number]): boolean => asked?.media.includes(kind) === true;
  const audioInput = has("audioInput") ? media.audioInput : 0;
  const imageInput = usage.images > 0 ? media.imageInput : 0;
  const audioOutput = has("audioOutput") ? media.audioOutput : 0;
  const imageOutput = has("imageOutput") ? media.imageOutput : 0;
  const inputTokens =
    usage.inputTokens + (media.audioInput - audioInput) + (media.imageInput - imageInput);
  const nothing = audioInput + imageInput + audioOutput + imageOutput === 0;
  return {
    ...plain,
    inputTokens,
    ...(nothing ? {} : { media: { audioInput, imageInput, audioOutput, imageOutput } }),
  };
}
