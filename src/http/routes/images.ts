/**
 * `POST /v1/images/generations` and `/v1/images/edits` (contract §13): images that the caller waits
 * for, made by the task engine.
 */
import Type from "typebox";
import {
  ImageEditRequestBody,
  ImageGenerationRequestBody,
  ImagesAnswer,
} from "../../contract/images.ts";
import type { FormFileCall } from "../../serving/files/form-files.ts";
import type { FileReader } from "../../serving/files/open-file.ts";
import type { ReceivedFile } from "../../serving/files/intake.ts";
import { awaitImages, orderImages, type MakeImagesDeps } from "../../serving/tasks/make-images.ts";
import type { CreatedTask } from "../../serving/tasks/create-task.ts";
import type { TaskView } from "../../serving/tasks/task-view.ts";
import { readIdempotencyKey } from "../../idempotency/idempotency-key.ts";
import type { Clock } from "../../kernel/clock.ts";
import { toFault, type Fault } from "../../kernel/faults.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { JSON_BODY_LIMIT_BYTES } from "../../kernel/limits.ts";
import { imagesContent } from "../answer-images.ts";
import type { ImageCalls } from "../image-calls.ts";
import {
  generationOrder,
  inOpenAiWords,
  readFields,
  withEditOrder,
  type ImageOrder,
} from "../image-order.ts";
import { rateLimitHeaders } from "../rate-limit-headers.ts";
import { checkImageFormHead, readImageForm, type ImageForm } from "../read-image-form.ts";
import { checkJsonType } from "../read-json-body.ts";
import { replayHeaders } from "../replay-headers.ts";
import type { Answer, HeaderDescriptions, KeyCall, Route } from "../route.ts";
import { bytesRoute, streamedRoute } from "../route.ts";
import type { PaceLimits } from "../sender-pace.ts";
import { imageEvents } from "../stream-images.ts";

export interface ImagesUseCases extends Pick<FileReader, "readFile"> {
  receiveFormFile(call: FormFileCall): Promise<ReceivedFile>;
  deleteFile(owner: { readonly accountId: Uuid }, name: string): Promise<"deleted" | "not-found">;
}

export interface ImagesRouteDeps {
  readonly tasks: MakeImagesDeps;
  readonly useCases: ImagesUseCases;
  readonly clock: Clock;
  readonly pace: PaceLimits;
  /** For models of type `image`; absent: there are none. */
  readonly imageCalls?: ImageCalls;
  /** For tests that cannot wait minutes. */
  readonly waitMs?: number;
}

const REQUEST_HEADERS: HeaderDescriptions = {
  "idempotency-key": {
    description:
      "The same key with the same request within 24 hours gets the same images, and one charge; also while they are still being made.",
    example: "poster-4711",
  },
};

const RESPONSE_HEADERS: HeaderDescriptions = {
  "x-tollgate-cost": { description: "What was charged, roubles.", example: "4.5" },
  "x-tollgate-task": {
    description: "Of a task model: the task. On refusals too, from the moment that there is one.",
    example: "0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b",
  },
};

const WAITING =
  "A task model's images are a task, which `x-tollgate-task` names: ordered, held for, charged and listed as any other. It is waited for 280 seconds; what is not made by then goes on, and the 504 names the task to ask for. " +
  "A caller who leaves stops nothing: the task is in `GET /v1/tasks`, and `POST /v1/tasks/{id}/cancel` stops it where that can be.";

/** Proxies that gather answers would hold events back. */
const UNGATHERED = { "x-accel-buffering": "no" };
const ERRORS = [400, 401, 402, 403, 408, 409, 410, 413, 415, 429, 502, 503, 504, 507];
const EVENTS = Type.String({ description: "Events as OpenAI has them, of a `stream`." });
const ANSWERS = {
  200: {
    description: "The images.",
    content: { "application/json": ImagesAnswer, "text/event-stream": EVENTS },
  },
};

export function imagesRoutes(deps: ImagesRouteDeps): Route[] {
  return [
    bytesRoute({
      method: "POST",
      path: "/v1/images/generations",
      waits: true,
      bodyLimitBytes: JSON_BODY_LIMIT_BYTES,
      doc: {
        operationId: "generateImages",
        summary: "Makes images from a prompt",
        description: WAITING,
        tag: "Images",
        headers: REQUEST_HEADERS,
        responseHeaders: RESPONSE_HEADERS,
        requestBody: ImageGenerationRequestBody,
        responses: ANSWERS,
        errors: ERRORS,
      },
      async handle(call) {
        checkJsonType(call.headers);
        const fields = readFields(call.body);
        const calls = imageCallsOf(deps, fields["model"]);
        if (calls !== null) return calls.generations(call, fields["response_format"]);
        return makeImages(deps, call, generationOrder(deps, fields, call.body));
      },
    }),
    streamedRoute({
      method: "POST",
      path: "/v1/images/edits",
      waits: true,
      doc: {
        operationId: "editImages",
        summary: "Makes images from images and a prompt",
        description: `A form with the images, or JSON with \`images: [{"image_url": "https://…"}]\`. What is sent is kept as files of the account, as an upload is. ${WAITING}`,
        tag: "Images",
        headers: REQUEST_HEADERS,
        responseHeaders: RESPONSE_HEADERS,
        requestBody: ImageEditRequestBody,
        requestType: "multipart/form-data",
        responses: ANSWERS,
        errors: ERRORS,
      },
      streamed: { checkHead: checkImageFormHead },
      async handle(call) {
        const form = await call.withinGate(() =>
          readImageForm(
            {
              clock: deps.clock,
              pace: deps.pace,
              receiveFormFile: (file) => deps.useCases.receiveFormFile(file),
            },
            call.key,
            call.headers,
            call.body,
          ),
        );
        return editImages(deps, call, form);
      },
    }),
  ];
}

async function editImages(
  deps: ImagesRouteDeps,
  call: KeyCall<unknown>,
  form: ImageForm,
): Promise<Answer> {
  const calls = imageCallsOf(deps, form.fields["model"]);
  if (calls !== null) return calls.edits(call, form);
  return withEditOrder(deps, call.key, form, (order, keep) =>
    // A repetition works on the images of the first.
    makeImages(deps, call, order, ({ replayOf }) => void (replayOf === null && keep())),
  );
}

async function makeImages(
  deps: ImagesRouteDeps,
  call: KeyCall<unknown>,
  order: ImageOrder,
  onOrdered: (created: CreatedTask) => void = () => undefined,
): Promise<Answer> {
  const { key, requestId, headers, clientAddress: ip } = call;
  const idempotencyKey = readIdempotencyKey(headers["idempotency-key"]);
  const { endpoint, model, sameness, body, request } = order;
  const inWords = (error: unknown): Fault => inOpenAiWords(toFault(error), order.images);
  let created: CreatedTask;
  try {
    created = await call.withinGate(() =>
      orderImages(deps.tasks, { key, requestId, ip, model, body, idempotencyKey, sameness }),
    );
  } catch (error) {
    throw inWords(error);
  }
  onOrdered(created);
  const { taskId, standing, replayOf } = created;
  const task = {
    "x-tollgate-task": taskId,
    ...(standing === null ? {} : rateLimitHeaders("openai", standing, false)),
    ...replayHeaders(replayOf),
  };
  const wait = (): Promise<TaskView> =>
    awaitImages(deps.tasks, {
      accountId: key.accountId,
      taskId,
      idempotent: idempotencyKey !== null,
      signal: call.departure(),
      ...(deps.waitMs === undefined ? {} : { waitMs: deps.waitMs }),
    });
  if (request.stream)
    return {
      headers: { ...task, ...UNGATHERED },
      content: imageEvents(deps.useCases, { endpoint, wait, inWords }),
    };
  try {
    const made = await wait();
    return {
      headers: { ...task, "x-tollgate-cost": made.cost.amount },
      content: imagesContent(deps.useCases, made, request.format),
    };
  } catch (error) {
    return { headers: task, content: { fault: inWords(error) } };
  }
}

/** Null: the model is not of type `image`. */
export function imageCallsOf(
  deps: Pick<ImagesRouteDeps, "tasks" | "imageCalls">,
  id: unknown,
): ImageCalls | null {
  const { catalogue } = deps.tasks.catalogue.current();
  const model = typeof id === "string" ? catalogue.models.get(id) : undefined;
  return model?.type === "image" ? (deps.imageCalls ?? null) : null;
}
