/** The good answer of the tasks and storage family (contract §7, §8). */
import type { Answer } from "./route.ts";

export function success(data: unknown): Answer {
  return { content: { json: { code: 200, msg: "success", data } } };
}
