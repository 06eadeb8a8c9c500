/** The nineteen parameter tables of the specification (contract §7) by their ids. */
import { T1 } from "./t01-video-captions.ts";
import { T2 } from "./t02-image-to-video.ts";
import { T3 } from "./t03-video-from-references.ts";
import { T4 } from "./t04-image-editing.ts";
import { T5 } from "./t05-motion-control.ts";
import { T6 } from "./t06-image-editing-newer.ts";
import { T7 } from "./t07-text-to-video.ts";
import { T8 } from "./t08-image-to-video.ts";
import { T9 } from "./t09-text-to-video.ts";
import { T10 } from "./t10-image-generation.ts";
import { T11 } from "./t11-video-to-video.ts";
import { T12 } from "./t12-image-to-video.ts";
import { T13 } from "./t13-image-to-video.ts";
import { T14 } from "./t14-image-to-image.ts";
import { T15 } from "./t15-omni-video.ts";
import { T16 } from "./t16-turbo-image-to-video.ts";
import { T17 } from "./t17-motion-control-older.ts";
import { T18 } from "./t18-talking-avatar.ts";
import { T19 } from "./t19-image-generation.ts";
import type { TaskTable, TaskTableId } from "./task-table.ts";

const TABLES: readonly TaskTable[] = [
  T1,
  T2,
  T3,
  T4,
  T5,
  T6,
  T7,
  T8,
  T9,
  T10,
  T11,
  T12,
  T13,
  T14,
  T15,
  T16,
  T17,
  T18,
  T19,
];

export const TASK_TABLES: ReadonlyMap<TaskTableId, TaskTable> = new Map(
  TABLES.map((table) => [table.id, table]),
);
