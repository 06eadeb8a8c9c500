/**
 * Finds a key among the names that an object may have, in its bytes: by how long it is most names are
 * told apart.
 */
import { stands } from "./value-end.ts";

/** The places in a list of names, by how long the names there are. */
export type PlacesByLength = readonly (readonly number[])[];

/** Of the names from `first` on, up to `end` without it. */
export function placesByLength(
  names: readonly string[],
  first = 0,
  end = names.length,
): PlacesByLength {
  const longest = Math.max(...names.map((name) => name.length));
  return Array.from({ length: longest + 1 }, (_, length) =>
    names.flatMap((name, place) =>
      place >= first && place < end && name.length === length ? [place] : [],
    ),
  );
}

/** The place of the key between `start` and `end`; -1 where it is none of these names. */
export function placeOf(
  bytes: Buffer,
  start: number,
  end: number,
  names: readonly string[],
  places: PlacesByLength,
): number {
  const candidates = places[end - start];
  if (candidates === undefined) return -1;
  for (const place of candidates) if (stands(bytes, start, names[place] ?? "")) return place;
  return -1;
}
