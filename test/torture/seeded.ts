/** What is left to chance in a run of the torture, by name, so that one seed gives it all again. */
import { createHash } from "node:crypto";
import { seededRandom } from "../support/seeded-random.ts";

export interface Chance {
  /** A whole number from `least` to `most`, both among them. */
  between(least: number, most: number): number;
  /** True this often, of 100 times. */
  percent(often: number): boolean;
  oneOf<const T>(things: readonly [T, ...(readonly T[])]): T;
}

/** Each name has a stream of its own, so that one client's turns do not move another's. */
export function chanceOf(seed: number, name: string): Chance {
  const digest = createHash("sha256").update(`${seed} ${name}`).digest();
  const random = seededRandom(digest.readUInt32LE(0));
  const between = (least: number, most: number): number =>
    least + Math.floor(random() * (most - least + 1));
  return {
    between,
    percent: (often) => random() * 100 < often,
    oneOf: (things) => things[between(0, things.length - 1)] ?? things[0],
  };
}
