/**
 * What a request of OpenAI's image endpoints orders of a task model: its task's body, and its images
 * as files of the account as long as they are needed.
 */
import { createHash } from "node:crypto";
import type { ImageEndpoint } from "../contract/tasks/image-maps.ts";
import { readImageRequest, type ImageRequest } from "../contract/tasks/read-image-request.ts";
import { Fault } from "../kernel/faults.ts";
import type { Uuid } from "../kernel/ids.ts";
import { readJsonObject } from "../protocol/json/read-json-object.ts";
import type { ReceivedFile } from "../serving/files/intake.ts";
import { findImageModel, type ImageModel } from "../serving/tasks/find-image-model.ts";
import type { MakeImagesDeps } from "../serving/tasks/make-images.ts";
import type { ImageForm } from "./read-image-form.ts";

export interface ImageOrderDeps {
  readonly tasks: Pick<MakeImagesDeps, "catalogue" | "staticUrl">;
  readonly useCases: {
    deleteFile(owner: { readonly accountId: Uuid }, name: string): Promise<"deleted" | "not-found">;
  };
}

export interface ImageOrder {
  readonly endpoint: ImageEndpoint;
  /** The model's id. */
  readonly model: string;
  readonly request: ImageRequest;
  /** Of the task. */
  readonly body: Buffer;
  /** What makes it the same as another one with its idempotency key. */
  readonly sameness: Buffer;
  /** What the table calls the images. */
  readonly images: string;
}

/** Of a request for new images. Throws where they are no JSON object. */
export function readFields(sent: Buffer): Readonly<Record<string, unknown>> {
  const reading = readJsonObject(sent, []);
  if (!reading.ok) throw reading.fault;
  return reading.object.value;
}

/** `fields`: those of `sent`. Throws what is wrong with them. */
export function generationOrder(
  { tasks }: Pick<ImageOrderDeps, "tasks">,
  fields: Readonly<Record<string, unknown>>,
  sent: Buffer,
): ImageOrder {
  const model = modelOf(tasks, fields["model"], "images.generations");
  const request = requestOf(model, { fields, texts: false, edits: false });
  return orderOf("images.generations", fields["model"], model, request, {}, sent);
}

/**
 * Throws what is wrong with it. `use` has the images as files of the account, which are removed
 * after it unless it says that they are to be kept; of a form that is refused nothing is left.
 */
export async function withEditOrder<T>(
  deps: ImageOrderDeps,
  owner: { readonly accountId: Uuid },
  form: ImageForm,
  use: (order: ImageOrder, keep: () => void) => Promise<T>,
): Promise<T> {
  const { tasks } = deps;
  const id = form.fields["model"];
  if (form.kind === "json") {
    const model = modelOf(tasks, id, "images.edits");
    const request = requestOf(model, { fields: form.fields, texts: false, edits: true });
    const images = { [model.map.images]: form.images };
    return use(orderOf("images.edits", id, model, request, images, form.bytes), () => undefined);
  }
  const { files, fields } = form;
  const stored: string[] = [];
  let kept = false;
  try {
    const model = modelOf(tasks, id, "images.edits");
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
    const urls = stored.map((name) => `${tasks.staticUrl()}/${name}`);
    const sums = files.map(({ file }: { readonly file: ReceivedFile }) => file.sha256);
    const sent = Buffer.from(JSON.stringify([fields, sums]));
    const images = { [model.map.images]: urls };
    return await use(
      orderOf("images.edits", id, model, request, images, sent),
      () => void (kept = true),
    );
  } finally {
    if (!kept) await Promise.all(stored.map((name) => deps.useCases.deleteFile(owner, name)));
    await Promise.all(files.slice(stored.length).map(({ file }) => file.discard()));
  }
}

/** What a table says of its parameters, of the fields that were sent; OpenAI's errors are no list. */
export function inOpenAiWords(fault: Fault, images: string): Fault {
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

function orderOf(
  endpoint: ImageEndpoint,
  id: unknown,
  { map }: ImageModel,
  request: ImageRequest,
  images: Readonly<Record<string, unknown>>,
  sent: Buffer,
): ImageOrder {
  return {
    endpoint,
    model: String(id),
    request,
    body: Buffer.from(JSON.stringify({ ...request.body, ...images })),
    sameness: createHash("sha256").update(`${endpoint}\n`).update(sent).digest(),
    images: map.images,
  };
}

function modelOf(
  { catalogue: live }: ImageOrderDeps["tasks"],
  id: unknown,
  endpoint: ImageEndpoint,
): ImageModel {
  if (typeof id !== "string" || id === "")
    throw new Fault("invalid_request", {
      message: "'model' is required. GET /v1/models lists what there is.",
      param: "model",
    });
  const { catalogue } = live.current();
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
