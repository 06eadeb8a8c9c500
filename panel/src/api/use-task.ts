/**
 * One task, live: read again at every word of its stream, and now and then while the stream is
 * silent.
 */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { UseQueryResult } from "@tanstack/react-query";
import { useEffect } from "react";
import { TASK_EVENTS } from "../../../src/contract/enums/task-event.ts";
import type { PanelTask } from "../../../src/contract/panel/panel-task.ts";
import { apiUrl, readApi } from "./call-api.ts";

/** A stream may be cut by what stands in between; this is how late its word comes then. */
const LOOK_AGAIN_MS = 5_000;

export function taskKey(taskId: string): readonly string[] {
  return ["tasks", taskId];
}

export function hasEnded({ state }: Pick<PanelTask, "state">): boolean {
  return state === "completed" || state === "failed";
}

export function useTask(taskId: string): UseQueryResult<PanelTask> {
  const client = useQueryClient();
  const query = useQuery({
    queryKey: taskKey(taskId),
    queryFn: ({ signal }) => readApi("/tasks/{id}", { params: { id: taskId }, signal }),
    refetchInterval: ({ state }) =>
      state.data === undefined || hasEnded(state.data) ? false : LOOK_AGAIN_MS,
  });
  const live = query.data !== undefined && !hasEnded(query.data);
  useEffect(() => {
    if (!live) return undefined;
    const source = new EventSource(apiUrl("GET /tasks/{id}/events", { params: { id: taskId } }));
    const readAgain = (): void => void client.invalidateQueries({ queryKey: taskKey(taskId) });
    for (const event of TASK_EVENTS) source.addEventListener(event, readAgain);
    return () => {
      source.close();
      // What it cost is known now, and what it was held for is free.
      void client.invalidateQueries({ queryKey: ["overview"] });
    };
  }, [client, live, taskId]);
  return query;
}
