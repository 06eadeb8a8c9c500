/** Vectors that follow from their inputs: of length 1, the same for the same text. */
import { createHash } from "node:crypto";
import type { JsonObject } from "../is-object.ts";
import { bad, type Call } from "./call.ts";
import { reportInput } from "./report-input.ts";
import { readTexts } from "./text-inputs.ts";

const DEFAULT_DIMENSIONS = 1536;
const MOST_DIMENSIONS = 4096;
const MOST_INPUTS = 2048;

export const embeddings: Call = {
  path: /^\/v1\/embeddings\/?$/,
  read(body) {
    if (typeof body.model !== "string" || body.model === "")
      return bad("model", "you must provide a model parameter");
    const read = readTexts(body.input);
    if (read === null || read.inputs.length > MOST_INPUTS)
      return bad("input", "'$.input' is invalid. Please check the API reference.");
    const { model } = body;
    const dimensions = body.dimensions ?? DEFAULT_DIMENSIONS;
    if (!isCount(dimensions)) return bad("dimensions", "Invalid value for 'dimensions'.");
    const isBase64 = body.encoding_format === "base64";
    return {
      ok: true,
      call: {
        model,
        stream: false,
        text: read.text,
        answer(directives) {
          const usage = reportInput(read.tokens, directives);
          return {
            whole: {
              object: "list",
              data: read.inputs.map((input, index) => {
                const vector = vectorOf(input, dimensions);
                const embedding = isBase64 ? asBase64(vector) : [...vector];
                return { object: "embedding", index, embedding };
              }),
              model,
              ...(usage === null ? {} : { usage }),
            },
          };
        },
      },
    };
  },
};

function isCount(value: JsonObject[string]): value is number {
  return (
    typeof value === "number" && Number.isInteger(value) && value > 0 && value <= MOST_DIMENSIONS
  );
}

/** From the digest of the input, stretched. */
function vectorOf(input: string, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  let digest = createHash("sha256").update(input).digest();
  let at = 0;
  for (let i = 0; i < dimensions; i++) {
    if (at + 4 > digest.length) {
      digest = createHash("sha256").update(digest).digest();
      at = 0;
    }
    vector[i] = digest.readInt32LE(at) / 0x8000_0000;
    at += 4;
  }
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

function asBase64(vector: Float32Array): string {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString("base64");
}
