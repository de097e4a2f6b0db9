import type { InferenceSession, Tensor } from 'onnxruntime-node';
import type { Tokens } from './tokens.ts';

/** Texts that a model reads at once. */
const BATCH = 32;

/** A part of what a model says: one row for each text. */
export interface ModelRows {
  readonly data: Float32Array;
  /** Of all rows: the first number is theirs. */
  readonly dims: readonly number[];
  /** Numbers of attention of these texts, one row each, as long as the longest. */
  readonly mask: readonly (readonly number[])[];
}

export interface ModelSession {
  /** What the model says of texts, at most 32 at a time. Throws what the runtime throws, and Error for an output that is none. */
  run(texts: readonly Tokens[]): AsyncIterable<ModelRows>;
}

/**
 * A model in ONNX Runtime, which is an optional package: 288 MB that most installations do not need.
 *
 * @param outputs names of the output that is meant, the best first; the first output where it has none of them
 * @throws Error when the package is not there, or the model cannot be loaded
 */
export async function openSession(model: Buffer, outputs: readonly string[]): Promise<ModelSession> {
  const runtime = await loadRuntime();
  const session = await runtime.InferenceSession.create(model, { executionProviders: ['cpu'], intraOpNumThreads: 1, logSeverityLevel: 3 });
  const output = outputs.find((name) => session.outputNames.includes(name)) ?? session.outputNames[0] ?? '';
  const unknown = session.inputNames.filter((name) => !(name in INPUTS));
  if (unknown.length > 0) throw new Error(`the model wants an input that is unknown here: ${unknown[0]?.slice(0, 64)}`);

  async function runBatch(texts: readonly Tokens[]): Promise<ModelRows> {
    const length = Math.max(1, ...texts.map(({ ids }) => ids.length));
    const mask = texts.map(({ ids }) => Array.from({ length }, (_, at) => (at < ids.length ? 1 : 0)));
    const feeds: Record<string, Tensor> = {};
    for (const name of session.inputNames) {
      const rows = texts.flatMap((tokens) => Array.from({ length }, (_, at) => BigInt(INPUTS[name]?.(tokens, at) ?? 0)));
      feeds[name] = new runtime.Tensor('int64', BigInt64Array.from(rows), [texts.length, length]);
    }
    return rowsOf(await session.run(feeds, [output]), output, mask);
  }

  return {
    async *run(texts) {
      for (let from = 0; from < texts.length; from += BATCH) yield await runBatch(texts.slice(from, from + BATCH));
    },
  };
}

/** What each input gets of a token; behind the end of a text it is 0. */
const INPUTS: Readonly<Record<string, (tokens: Tokens, at: number) => number | undefined>> = {
  input_ids: ({ ids }, at) => ids[at],
  attention_mask: ({ ids }, at) => (at < ids.length ? 1 : 0),
  token_type_ids: ({ types }, at) => types[at],
};

function rowsOf(results: InferenceSession.OnnxValueMapType, output: string, mask: ModelRows['mask']): ModelRows {
  const value = results[output];
  if (value === undefined || !('data' in value) || !(value.data instanceof Float32Array) || value.dims[0] !== mask.length) {
    throw new Error('the model answers something else than one row of floats for each text');
  }
  return { data: value.data, dims: value.dims, mask };
}

async function loadRuntime() {
  try {
    return await import('onnxruntime-node');
  } catch (error) {
    throw new Error('the package onnxruntime-node is not installed', { cause: error });
  }
}
