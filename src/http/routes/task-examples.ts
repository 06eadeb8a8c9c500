/**
 * The bodies of tasks that `/openapi.json` shows: of each table the shortest one and one with
 * everything.
 */
import { TASK_TABLES } from "../../contract/tasks/task-tables.ts";

export type RequestExamples = Readonly<
  Record<string, { readonly summary: string; readonly value: unknown }>
>;

export function taskExamples(): RequestExamples {
  return Object.fromEntries(
    [...TASK_TABLES.values()].flatMap(({ id, title, examples }) => [
      [
        `${id}-minimal`,
        { summary: `${id} ${title.en}: only what is required`, value: examples.minimal },
      ],
      [`${id}-full`, { summary: `${id} ${title.en}: with options`, value: examples.full }],
    ]),
  );
}
