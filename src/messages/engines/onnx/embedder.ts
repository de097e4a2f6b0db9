import type { Embedder } from '../../../core/ports/embedder.ts';
import { unitVector } from '../../../core/unit-vector.ts';
import { readModelDirectory } from './model-directory.ts';
import { type ModelRows, openSession } from './session.ts';
import { createTokenizing } from './tokens.ts';

const MAX_DIMENSION = 4096;

/**
 * A sentence-embedding model in a directory of this host (`model.onnx`, `tokenizer.json`): the mean of its vectors of tokens,
 * of length 1. Nothing is fetched from anywhere.
 *
 * @throws Error when the directory has no model that can be used, or onnxruntime-node is not installed
 */
export async function openOnnxEmbedder(directory: string): Promise<Embedder> {
  const { model, tokenizer, digest } = await readModelDirectory(directory);
  const tokenizing = createTokenizing(tokenizer);
  const session = await openSession(model, ['last_hidden_state', 'token_embeddings']);

  async function embed(texts: readonly string[]): Promise<Float32Array[]> {
    if (texts.includes('')) throw new Error('an empty text has no vector');
    const vectors: Float32Array[] = [];
    for await (const rows of session.run(texts.map((text) => tokenizing.one(text)))) vectors.push(...means(rows));
    return vectors;
  }

  const [probe] = await embed(['probe']);
  const dimension = probe?.length ?? 0;
  if (dimension === 0 || dimension > MAX_DIMENSION) throw new Error(`the model makes vectors of ${dimension} numbers`);
  return { id: `onnx-${digest}`, dimension, knowsMeaning: true, embed };
}

/** The mean over the tokens of each text, of length 1. */
function means({ data, dims, mask }: ModelRows): Float32Array[] {
  const [, length = 0, dimension = 0] = dims;
  if (dims.length !== 3 || length !== mask[0]?.length) throw new Error('the model answers no vectors of tokens');
  return mask.map((attention, row) => {
    const sums = new Float64Array(dimension);
    attention.forEach((counts, token) => {
      const from = (row * length + token) * dimension;
      if (counts > 0) for (let at = 0; at < dimension; at += 1) sums[at] = (sums[at] ?? 0) + (data[from + at] ?? 0);
    });
    // The number of tokens goes out of the mean with its length.
    return unitVector(sums);
  });
}
