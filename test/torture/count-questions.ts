/**
 * Counts what a client asks of PostgreSQL in the bytes that it sends: simple queries and the ends
 * of extended ones, which are the messages that the server answers.
 */

const QUERY = 0x51;
const SYNC = 0x53;
const HEAD_BYTES = 5;
const START_HEAD_BYTES = 4;

/** For one connection, from its first byte on, in pieces of any size. */
export function createQuestionCounter(): (bytes: Buffer) => number {
  let begun = false;
  let skip = 0;
  let head = Buffer.alloc(0);
  return (bytes) => {
    let questions = 0;
    let at = 0;
    while (at < bytes.length) {
      const skipped = Math.min(skip, bytes.length - at);
      skip -= skipped;
      at += skipped;
      if (at === bytes.length) break;
      // The first message has no letter before its length.
      const wanted = (begun ? HEAD_BYTES : START_HEAD_BYTES) - head.length;
      head = Buffer.concat([head, bytes.subarray(at, at + wanted)]);
      at += wanted;
      if (head.length < (begun ? HEAD_BYTES : START_HEAD_BYTES)) break;
      if (begun && (head[0] === QUERY || head[0] === SYNC)) questions += 1;
      // A length counts itself.
      skip = head.readUInt32BE(begun ? 1 : 0) - 4;
      head = Buffer.alloc(0);
      begun = true;
    }
    return questions;
  };
}
