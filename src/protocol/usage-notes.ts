/**
 * Collects what of a usage's details could not be true and was cut to fit: the totals stand
 * (contract §6).
 */
import { readTokenCount } from "./token-count.ts";

/** More notes than this say nothing new. */
const MOST_NOTES = 5;

export class UsageNotes {
  #notes: string[] | null = null;

  /** Something was cut. */
  get any(): boolean {
    return this.#notes !== null;
  }

  /** A detail of a total; zero where none is given, or where it is no count. */
  detail(raw: unknown, name: string): number {
    const count = readTokenCount(raw);
    if (count === "bad") this.add(`${name} is no whole number from zero up`);
    return typeof count === "number" ? count : 0;
  }

  /** The detail, but no more than there is room for it in its total. */
  within(count: number, room: number, name: string): number {
    if (count <= room) return count;
    this.add(`${count} ${name} tokens do not fit, ${room} do`);
    return room;
  }

  add(note: string): void {
    this.#notes ??= [];
    if (this.#notes.length < MOST_NOTES) this.#notes.push(note);
  }

  /** To be spread into a reading: no note where nothing was cut. */
  get reported(): { readonly note?: string } {
    return this.#notes === null ? {} : { note: this.#notes.join("; ") };
  }
}
