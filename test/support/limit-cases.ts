/**
 * Values just inside and just outside of a limit of the task tables, each with the mistakes that it
 * makes.
 */
import type { TaskParameters, TaskTable } from "../../src/contract/tasks/task-table.ts";

/**
 * What is changed of the minimal example, and the mistakes that it makes, as `param code`;
 * undefined leaves a parameter out.
 */
export type Case = readonly [
  patch: Readonly<Record<string, unknown>>,
  ...mistakes: readonly string[],
];

export const url = (name: string): string => `https://media.example.org/${name}`;
export const urls = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => url(`${index}`));
export const text = (length: number): string => "é".repeat(length);

export function lengths(param: string, min: number, max: number): Case[] {
  const cases: Case[] = [
    [{ [param]: text(max) }],
    [{ [param]: "🦊".repeat(max) }],
    [{ [param]: text(max + 1) }, `${param} maxLength`],
    [{ [param]: 5 }, `${param} type`],
    [{ [param]: [text(min)] }, `${param} type`],
    [{ [param]: text(min) }],
  ];
  const blank: Case[] = min === 0 ? [] : [[{ [param]: " \n".repeat(min) }, `${param} minLength`]];
  return min === 0
    ? cases
    : [...cases, ...blank, [{ [param]: text(min - 1) }, `${param} minLength`]];
}
function range(param: string, min: number, max: number, step: number): Case[] {
  return [
    [{ [param]: min }],
    [{ [param]: min - step }, `${param} minimum`],
    [{ [param]: max }],
    [{ [param]: max + step }, `${param} maximum`],
    [{ [param]: String(min) }, `${param} type`],
    [{ [param]: true }, `${param} type`],
    [{ [param]: [min] }, `${param} type`],
  ];
}
export const whole = (param: string, min: number, max: number): Case[] => [
  ...range(param, min, max, 1),
  [{ [param]: min + 0.5 }, `${param} type`],
];
export const decimal = (param: string, min: number, max: number): Case[] => [
  ...range(param, min, max, 0.01),
  [{ [param]: min + (max - min) / 8 }],
];
export function choice(param: string, values: string, outside: readonly unknown[] = []): Case[] {
  const wrong = ["", "other", values.split(" ")[0]?.toUpperCase() + " ", ...outside];
  return [
    ...values.split(" ").map((value): Case => [{ [param]: value }]),
    ...wrong.map((value): Case => [
      { [param]: value },
      `${param} ${typeof value === "string" ? "enum" : "type"}`,
    ]),
    [{ [param]: 1 }, `${param} type`],
    [{ [param]: [values.split(" ")[0]] }, `${param} type`],
  ];
}
export const flag = (param: string): Case[] => [
  [{ [param]: true }],
  [{ [param]: false }],
  [{ [param]: "true" }, `${param} type`],
  [{ [param]: 1 }, `${param} type`],
];
export const missing = (...params: string[]): Case[] =>
  params.flatMap((param): Case[] => [
    [{ [param]: undefined }, `${param} required`],
    [{ [param]: null }, `${param} required`],
  ]);
export const optional = (...params: string[]): Case[] =>
  params.flatMap((param): Case[] => [[{ [param]: undefined }], [{ [param]: null }]]);
export const one = (param: string): Case[] => [
  [{ [param]: url("a") }],
  [{ [param]: [url("a")] }, `${param} type`],
  [{ [param]: "data:image/png;base64,iVBORw0KGgo=" }, `${param} data_url`],
];
export function list(param: string, min: number, max: number, mayBeEmpty = min === 0): Case[] {
  return [
    [{ [param]: urls(Math.max(min, 1)) }],
    [{ [param]: urls(max) }],
    [{ [param]: urls(max + 1) }, `${param} maxItems`],
    mayBeEmpty ? [{ [param]: [] }] : [{ [param]: [] }, `${param} minItems`],
    [{ [param]: url("a") }, `${param} type`],
    [{ [param]: ["blob:https://example.org/1"] }, `${param}[0] blob_url`],
  ];
}

/** The minimal example of a table, changed as a case says. */
export function parametersOf(table: TaskTable, patch: Case[0]): TaskParameters {
  return Object.fromEntries(
    Object.entries({ ...table.examples.minimal, ...patch }).filter(
      ([, value]) => value !== undefined,
    ),
  );
}
