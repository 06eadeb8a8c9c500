/** System prompts that a member keeps in this browser for other talks. */

export interface KeptPrompt {
  readonly id: string;
  readonly text: string;
}

/** What there is of `localStorage`. */
export interface PromptShelf {
  getItem(name: string): string | null;
  setItem(name: string, text: string): void;
  removeItem(name: string): void;
}

export interface PromptStore {
  /** The newest first. */
  list(): readonly KeptPrompt[];
  /** The list as it is then; null: the browser keeps nothing, or has no room left. */
  keep(prompt: KeptPrompt): readonly KeptPrompt[] | null;
  remove(id: string): readonly KeptPrompt[];
  removeAll(): void;
}

export const MOST_PROMPTS = 30;
export const MOST_PROMPT_CHARACTERS = 50_000;

export function createPromptStore(shelf: PromptShelf, owner: string): PromptStore {
  const place = `tollgate.prompts.${owner}`;
  const list = (): readonly KeptPrompt[] => {
    try {
      const value: unknown = JSON.parse(shelf.getItem(place) ?? "[]");
      return Array.isArray(value) ? value.filter(isPrompt) : [];
    } catch {
      return [];
    }
  };
  return {
    list,
    keep(prompt) {
      if (prompt.text.length > MOST_PROMPT_CHARACTERS) return null;
      // The same words once.
      const others = list().filter(({ text }) => text !== prompt.text);
      const kept = [prompt, ...others].slice(0, MOST_PROMPTS);
      try {
        shelf.setItem(place, JSON.stringify(kept));
        return kept;
      } catch {
        return null;
      }
    },
    remove(id) {
      const kept = list().filter((prompt) => prompt.id !== id);
      shelf.setItem(place, JSON.stringify(kept));
      return kept;
    },
    removeAll: () => shelf.removeItem(place),
  };
}

function isPrompt(value: unknown): value is KeptPrompt {
  const prompt = value as Partial<KeptPrompt> | null;
  return typeof prompt?.id === "string" && typeof prompt.text === "string";
}
