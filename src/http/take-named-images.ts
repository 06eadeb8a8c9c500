/** An image edit in JSON, read as the form that it stands for: its images by their addresses. */
import type { Clock } from "../kernel/clock.ts";
import { Fault } from "../kernel/faults.ts";
import type { ReceiveNamedImage } from "../serving/files/named-images.ts";
import {
  IMAGE_LIMIT_BYTES,
  MOST_IMAGES,
  type FormImage,
  type NamedForm,
  type ReadForm,
} from "./read-image-form.ts";
import type { KeyCall } from "./route.ts";

export interface NamedImagesDeps {
  readonly clock: Pick<Clock, "monotonicMs">;
  receiveNamedImage: ReceiveNamedImage;
}

/** For all of them. */
const COME_WITHIN_MS = 60_000;

/** Throws what is wrong with it, and what the images cannot be taken for; nothing is left then. */
export async function takeNamedImages(
  deps: NamedImagesDeps,
  call: Pick<KeyCall<unknown>, "key" | "departure">,
  form: NamedForm,
): Promise<ReadForm> {
  const { images, mask } = form;
  const { mask: _, ...rest } = form.fields;
  if (images.length > MOST_IMAGES)
    throw new Fault("invalid_request", {
      message: `Send ${MOST_IMAGES} images at most.`,
      param: "images",
    });
  const named = images.map((url, index) => ({
    field: "image" as const,
    param: `images[${index}].image_url`,
    url,
  }));
  const all = mask === null ? named : [...named, { ...MASK, url: mask }];
  const untilMs = deps.clock.monotonicMs() + COME_WITHIN_MS;
  const fields = textsOf(rest);
  const files: FormImage[] = [];
  try {
    for (const { field, param, url } of all) {
      if (typeof url !== "string")
        throw new Fault("invalid_request", {
          message: `'${param}' must be the address of an image: https://… or data:image/…;base64,….`,
          param,
        });
      const file = await deps.receiveNamedImage({
        key: call.key,
        param,
        url,
        limitBytes: IMAGE_LIMIT_BYTES,
        signal: call.departure(),
        untilMs,
      });
      files.push({ field, file });
    }
    return { kind: "form", fields, files };
  } catch (error) {
    await Promise.all(files.map(({ file }) => file.discard()));
    throw error;
  }
}

const MASK = { field: "mask" as const, param: "mask.image_url" };

/** As a form writes them. */
function textsOf(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const texts: [string, string][] = [];
  for (const [name, value] of Object.entries(fields)) {
    if (value === null) continue;
    if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean")
      throw new Fault("invalid_request", {
        message: `'${name.slice(0, 60)}' must be a text, a number, true or false.`,
        param: name.slice(0, 60),
      });
    texts.push([name, String(value)]);
  }
  return Object.fromEntries(texts);
}
