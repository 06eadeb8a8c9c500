/**
 * A task model's table as a form is drawn from it: the very objects that bodies are read by, told
 * field by field.
 */
import type {
  PanelObjectField,
  PanelTaskField,
  PanelTaskForm,
} from "../../../contract/panel/panel-model.ts";
import {
  defaultOf,
  type FieldParameter,
  type TaskParameter,
} from "../../../contract/tasks/task-parameter.ts";
import type { WordedMistake } from "../../../contract/tasks/task-mistake.ts";
import type { TaskTable } from "../../../contract/tasks/task-table.ts";

export function taskForm(table: TaskTable, deadlineSeconds: number): PanelTaskForm {
  const { id, title, summary, makes, parameters, rules, measuredRules = [], examples } = table;
  return {
    table: id,
    title,
    summary,
    makes,
    deadlineSeconds,
    fields: Object.entries(parameters).map(([name, parameter]) => fieldOf(name, parameter)),
    rules: [
      ...rules.map(({ params, says }) => ruleOf(params, says)),
      // Known only when the files are measured.
      ...measuredRules.map(({ says }) => ruleOf([], says)),
    ],
    examples: { minimal: { ...examples.minimal }, full: { ...examples.full } },
  };
}

function ruleOf(
  fields: readonly string[],
  { reason, params, message }: WordedMistake,
): PanelTaskForm["rules"][number] {
  return { fields: [...fields], code: reason, params, message };
}

function fieldOf(name: string, parameter: TaskParameter): PanelTaskField {
  const byDefault = defaultOf(parameter);
  return {
    ...headOf(name, parameter),
    kind: parameter.kind,
    ...boundsOf(parameter),
    ...(byDefault === undefined ? {} : { default: byDefault }),
    ...(parameter.kind === "choice" ? { values: [...parameter.values] } : {}),
    ...(parameter.kind === "objects"
      ? {
          orFlag: parameter.orFlag === true,
          fields: Object.entries(parameter.fields).map(([inner, field]): PanelObjectField =>
            objectField(inner, field),
          ),
        }
      : {}),
  };
}

function objectField(name: string, field: FieldParameter): PanelObjectField {
  return { ...headOf(name, field), kind: field.kind, ...boundsOf(field) };
}

function headOf(name: string, { title, description, required, advanced }: TaskParameter) {
  return { name, title, description, required: required === true, advanced: advanced === true };
}

function boundsOf(parameter: TaskParameter) {
  switch (parameter.kind) {
    case "text":
      return {
        ...(parameter.minLength === undefined ? {} : { minLength: parameter.minLength }),
        maxLength: parameter.maxLength,
        multiline: parameter.multiline === true,
      };
    case "number":
    case "integer":
      return {
        ...(parameter.min === undefined ? {} : { min: parameter.min }),
        ...(parameter.max === undefined ? {} : { max: parameter.max }),
      };
    case "url":
      return { media: parameter.media };
    case "urls":
      return {
        ...countOf(parameter.count),
        media: parameter.media,
        ...(parameter.alone === undefined ? {} : { mediaAlone: parameter.alone }),
      };
    case "texts":
      return { ...countOf(parameter.count), maxLength: parameter.maxLength };
    case "objects":
      return countOf(parameter.count);
    case "flag":
    case "choice":
      return {};
  }
}

function countOf([minItems, maxItems]: readonly [number, number]) {
  return { minItems, maxItems };
}
