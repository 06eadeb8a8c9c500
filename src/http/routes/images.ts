/**
 * `POST /v1/images/generations` and `/v1/images/edits` (contract §13): images that the caller waits
 * for, made by the task engine.
 */
import { createHash } from "node:crypto";
import {
  ImageEditRequestBody,
  ImageGenerationRequestBody,
  ImagesAnswer,
} from "../../contract/images.ts";
import type { ImageEndpoint } from "../../contract/tasks/image-maps.ts";
import { readImageRequest, type ImageRequest } from "../../contract/tasks/read-image-request.ts";
import type { FormFileCall } from "../../serving/files/form-files.ts";
import type { FileReader } from "../../serving/files/open-file.ts";
import type { ReceivedFile } from "../../serving/files/intake.ts";
import { findImageModel, type ImageModel } from "../../serving/tasks/find-image-model.ts";
import { awaitImages, orderImages, type MakeImagesDeps } from "../../serving/tasks/make-images.ts";
import type { CreatedTask } from "../../serving/tasks/create-task.ts";
import { readIdempotencyKey } from "../../idempotency/idempotency-key.ts";
import type { Clock } from "../../kernel/clock.ts";
import { Fault, toFault } from "../../kernel/faults.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { JSON_BODY_LIMIT_BYTES } from "../../kernel/limits.ts";
import { readJsonObject } from "../../protocol/json/read-json-object.ts";
import { imagesContent } from "../answer-images.ts";
import type { ImageCalls } from "../image-calls.ts";
import { rateLimitHeaders } from "../rate-limit-headers.ts";
import { checkImageFormHead, readImageForm, type ImageForm } from "../read-image-form.ts";
import { checkJsonType } from "../read-json-body.ts";
import { replayHeaders } from "../replay-headers.ts";
import type { Answer, HeaderDescriptions, KeyCall, Route } from "../route.ts";
import { bytesRoute, streamedRoute } from "../route.ts";
import type { PaceLimits } from "../sender-pace.ts";

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

const ERRORS = [400, 401, 402, 403, 408, 409, 410, 413, 415, 429, 502, 503, 504, 507];
const ANSWERS = {
  200: { description: "The images.", content: { "application/json": ImagesAnswer } },
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
        const reading = readJsonObject(call.body, []);
        if (!reading.ok) throw reading.fault;
        const fields = reading.object.value;
        const calls = callsOf(deps, fields["model"]);
        if (calls !== null) return calls.generations(call, fields["response_format"]);
        const model = modelOf(deps, fields["model"], "images.generations");
        const request = requestOf(model, { fields, texts: false, edits: false });
        return makeImages(deps, call, {
          model: String(fields["model"]),
          request,
          body: request.body,
          sameness: samenessOf("images.generations", call.body),
          images: model.map.images,
        });
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

interface ImageOrder {
  /** Its id. */
  readonly model: string;
  readonly request: ImageRequest;
  /** Of the task. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly sameness: Buffer;
  /** What the table calls the images. */
  readonly images: string;
  onOrdered?(created: CreatedTask): void;
}

async function editImages(
  deps: ImagesRouteDeps,
  call: KeyCall<unknown>,
  form: ImageForm,
): Promise<Answer> {
  const id = form.fields["model"];
  const calls = callsOf(deps, id);
  if (calls !== null) return calls.edits(call, form);
  if (form.kind === "json") {
    const model = modelOf(deps, id, "images.edits");
    const request = requestOf(model, { fields: form.fields, texts: false, edits: true });
    const body = { ...request.body, [model.map.images]: form.images };
    const sameness = samenessOf("images.edits", form.bytes);
    return makeImages(deps, call, {
      model: String(id),
      request,
      body,
      sameness,
      images: model.map.images,
    });
  }
  const { files, fields } = form;
  const stored: string[] = [];
  let ordered = false;
  try {
    const model = modelOf(deps, id, "images.edits");
    const other = files.find(({ field }) => field !== "image");
    // A table has no place for it; the field is refused as any other.
    const given = other === undefined ? fields : { ...fields, [other.field]: "a file" };
    const request = requestOf(model, { fields: given, texts: true, edits: true });
    if (files.length === 0)
      throw new Fault("invalid_request", {
        message: "There is no 'image' in the form. Send at least one.",
        param: "image",
      });
    for (const { file } of files) stored.push((await file.commit()).name);
    const urls = stored.map((name) => `${deps.tasks.staticUrl()}/${name}`);
    const sums = files.map(({ file }) => file.sha256);
    const sameness = samenessOf("images.edits", Buffer.from(JSON.stringify([fields, sums])));
    const body = { ...request.body, [model.map.images]: urls };
    return await makeImages(deps, call, {
      model: String(id),
      request,
      body,
      sameness,
      images: model.map.images,
      // A repetition works on the images of the first.
      onOrdered: ({ replayOf }) => void (ordered = replayOf === null),
    });
  } finally {
    if (!ordered) await Promise.all(stored.map((name) => deps.useCases.deleteFile(call.key, name)));
    await Promise.all(files.slice(stored.length).map(({ file }) => file.discard()));
  }
}

async function makeImages(
  deps: ImagesRouteDeps,
  call: KeyCall<unknown>,
  order: ImageOrder,
): Promise<Answer> {
  const { key, requestId, headers, clientAddress: ip } = call;
  const idempotencyKey = readIdempotencyKey(headers["idempotency-key"]);
  const { model, sameness } = order;
  const body = Buffer.from(JSON.stringify(order.body));
  let created: CreatedTask;
  try {
    created = await call.withinGate(() =>
      orderImages(deps.tasks, { key, requestId, ip, model, body, idempotencyKey, sameness }),
    );
  } catch (error) {
    throw inOpenAiWords(toFault(error), order.images);
  }
  order.onOrdered?.(created);
  const { taskId, standing, replayOf } = created;
  const task = {
    "x-tollgate-task": taskId,
    ...(standing === null ? {} : rateLimitHeaders("openai", standing, false)),
    ...replayHeaders(replayOf),
  };
  try {
    const made = await awaitImages(deps.tasks, {
      accountId: key.accountId,
      taskId,
      idempotent: idempotencyKey !== null,
      signal: call.departure(),
      ...(deps.waitMs === undefined ? {} : { waitMs: deps.waitMs }),
    });
    return {
      headers: { ...task, "x-tollgate-cost": made.cost.amount },
      content: imagesContent(deps.useCases, made, order.request.format),
    };
  } catch (error) {
    return { headers: task, content: { fault: inOpenAiWords(toFault(error), order.images) } };
  }
}

/** What a table says of its parameters, of the fields that were sent; OpenAI's errors are no list. */
function inOpenAiWords(fault: Fault, images: string): Fault {
  if (fault.code !== "invalid_request") return fault;
  const { errors, ...details } = fault.details;
  const renamed = (text: string): string =>
    text.replaceAll(`'${images}`, "'image").replaceAll("'maxImages'", "'n'");
  const param =
    details.param === undefined ? undefined : renamed(`'${details.param}'`).slice(1, -1);
  const words = errors?.map(({ message }) => message).join(" ") ?? fault.message;
  return new Fault("invalid_request", {
    ...details,
    message: renamed(words),
    ...(param === undefined ? {} : { param }),
  });
}

/** Null: the model is not of type `image`. */
function callsOf(deps: ImagesRouteDeps, id: unknown): ImageCalls | null {
  const { catalogue } = deps.tasks.catalogue.current();
  const model = typeof id === "string" ? catalogue.models.get(id) : undefined;
  return model?.type === "image" ? (deps.imageCalls ?? null) : null;
}

function modelOf(deps: ImagesRouteDeps, id: unknown, endpoint: ImageEndpoint): ImageModel {
  if (typeof id !== "string" || id === "")
    throw new Fault("invalid_request", {
      message: "'model' is required. GET /v1/models lists what there is.",
      param: "model",
    });
  const { catalogue } = deps.tasks.catalogue.current();
  const model = findImageModel(catalogue, id, endpoint);
  if (model !== null) return model;
  const known = catalogue.models.has(id);
  const shown = id.length > 100 ? `${id.slice(0, 100)}…` : id;
  throw known
    ? new Fault("wrong_endpoint", {
        message: `The model "${shown}" makes no images; its entry in GET /v1/models names the endpoints that serve it.`,
        param: "model",
      })
    : new Fault("model_not_found", {
        message: `There is no model "${shown}". GET /v1/models lists what there is.`,
        param: "model",
      });
}

function requestOf(
  { table, map }: ImageModel,
  sent: {
    readonly fields: Readonly<Record<string, unknown>>;
    readonly texts: boolean;
    readonly edits: boolean;
  },
): ImageRequest {
  const reading = readImageRequest({ table, map, ...sent });
  if (reading.ok) return reading.request;
  const { message, param } = reading.mistake;
  throw new Fault("invalid_request", { message, param });
}

function samenessOf(endpoint: ImageEndpoint, sent: Buffer): Buffer {
  return createHash("sha256").update(`${endpoint}\n`).update(sent).digest();
}
