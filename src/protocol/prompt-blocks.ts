/**
 * What two requests have in common from the beginning of their prompts, told by hashes of blocks:
 * no text is kept.
 */
import { hash } from "node:crypto";

/** Of the bytes of `messages`, as they are sent. */
const BLOCK_BYTES = 1024;
/** What lies beyond is not compared. */
const MOST_BLOCKS = 2048;
const HASH_BYTES = 6;

export interface PromptBlocks {
  /** Of what stands before or around the messages in the prompt: system, tools, schemas. */
  readonly around: number;
  /** Of each block of messages, in order. */
  readonly blocks: Float64Array;
  readonly aroundBytes: number;
  readonly messagesBytes: number;
}

function hashOf(bytes: Uint8Array): number {
  return hash("sha1", bytes, "buffer").readUIntBE(0, HASH_BYTES);
}

export function promptBlocks(messages: Buffer, around: readonly Buffer[]): PromptBlocks {
  const count = Math.min(Math.floor(messages.length / BLOCK_BYTES), MOST_BLOCKS);
  const blocks = new Float64Array(count);
  for (let at = 0; at < count; at++)
    blocks[at] = hashOf(messages.subarray(at * BLOCK_BYTES, (at + 1) * BLOCK_BYTES));
  return {
    around: hashOf(Buffer.concat(around)),
    blocks,
    aroundBytes: around.reduce((sum, { length }) => sum + length, 0),
    messagesBytes: messages.length,
  };
}

/** Of the earlier prompt, the part from its beginning that the later one has too: 0 to 1. */
export function sharedPart(earlier: PromptBlocks, later: PromptBlocks): number {
  if (earlier.around !== later.around) return 0;
  let same = 0;
  while (same < earlier.blocks.length && earlier.blocks[same] === later.blocks[same]) same += 1;
  const all = earlier.aroundBytes + earlier.messagesBytes;
  return all === 0 ? 0 : (earlier.aroundBytes + same * BLOCK_BYTES) / all;
}
