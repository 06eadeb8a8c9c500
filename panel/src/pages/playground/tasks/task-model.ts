/** A model whose tasks can be ordered by a form. */
import type { PanelModel, PanelTaskForm } from "../../../../../src/contract/panel/panel-model.ts";

export type TaskModel = PanelModel & { readonly form: PanelTaskForm };
