/** Which output items of one answer a stream has told of, and how far. */

type Fields = Record<string, unknown>;

/** By its own: what one reader has to remember of an item. */
export interface ReportedItem {
  /** Some of its text was said, so what repeats it is none. */
  reported: boolean;
  /** Its name was said. */
  named: boolean;
}

/**
 * Items are told apart by their place, and only where an event names none by their id: some
 * upstreams (GitHub's) give an item another id with each event. An item that is added at a taken
 * place is another one: some upstreams give all the same place.
 */
export class OutputItems<Item extends ReportedItem> {
  readonly #items = new Map<unknown, Item>();
  readonly #create: () => Item;

  constructor(create: () => Item) {
    this.#create = create;
  }

  /** The item of an event, which begins with it where it was not told of before. */
  of(data: Fields): Item {
    const key = keyOf(data);
    const known = this.#items.get(key);
    if (known !== undefined) return known;
    const item = this.#create();
    this.#items.set(key, item);
    return item;
  }

  /** A new item, whatever was at its place. */
  added(data: Fields): Item {
    this.#items.delete(keyOf(data));
    return this.of(data);
  }
}

function keyOf({ output_index: index, item_id: id, item }: Fields): unknown {
  if (typeof index === "number") return index;
  if (typeof id === "string") return id;
  return typeof item === "object" && item !== null && "id" in item ? item.id : undefined;
}
