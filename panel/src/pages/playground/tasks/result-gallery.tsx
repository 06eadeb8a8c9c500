/**
 * What was made lately, as pictures: each with its task, and the way to order it again with other
 * parameters.
 */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { PanelListedTask } from "../../../../../src/contract/panel/panel-task.ts";
import { readApi } from "../../../api/call-api.ts";
import { pagesKey } from "../../../api/use-pages.ts";
import { Button } from "../../../ui/button.tsx";
import { Thumbnail } from "../../../ui/media-preview.tsx";
import { TaskCost } from "../../../ui/tasks/task-cost.tsx";
import { RelativeTime } from "../../../ui/time.tsx";
import { usePlaygroundTexts } from "../use-playground-texts.ts";

const SHOWN = 12;

interface ResultGalleryProps {
  /** The models whose form can be filled in. */
  readonly models: readonly string[];
  /** The task that was ordered last: its result is shown above. */
  readonly ordered: string;
  onAgain(task: PanelListedTask): void;
}

export function ResultGallery({ models, ordered, onAgain }: ResultGalleryProps): ReactNode {
  const t = usePlaygroundTexts();
  const { data } = useQuery({
    queryKey: [...pagesKey("/tasks"), "gallery", ordered],
    queryFn: ({ signal }) =>
      readApi("/tasks", { query: { state: "completed", limit: SHOWN }, signal }),
  });
  const made = (data?.data ?? []).filter(
    ({ taskId, files }) => taskId !== ordered && files.some(isThere),
  );
  if (made.length === 0) return null;
  return (
    <section className="playground-gallery" aria-label={t.gallery}>
      <h2>{t.gallery}</h2>
      <ul className="playground-made">
        {made.map((task) => (
          <li key={task.taskId} className="playground-made-one">
            <Link
              to="/tasks/$id"
              params={{ id: task.taskId }}
              className="playground-made-picture"
              aria-label={t.openMade(task.model)}
            >
              <Picture task={task} />
            </Link>
            <span className="playground-cut" title={task.model}>
              {task.model}
            </span>
            <span className="quiet small">
              <TaskCost cost={task.cost} /> · <RelativeTime iso={task.createdAt} />
            </span>
            {models.includes(task.model) ? (
              <Button small icon="again" onClick={() => onAgain(task)}>
                {t.withChanges}
              </Button>
            ) : null}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Picture({ task: { files } }: { readonly task: PanelListedTask }): ReactNode {
  const [first] = files.filter(isThere);
  return first === undefined ? null : <Thumbnail file={first} />;
}

function isThere({ expiresAt }: PanelListedTask["files"][number]): boolean {
  return Date.parse(expiresAt) > Date.now();
}
