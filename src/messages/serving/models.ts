import type { Embedder } from '../../core/ports/embedder.ts';
import type { Reranker } from '../../core/ports/reranker.ts';
import { openOnnxEmbedder } from '../engines/onnx/embedder.ts';
import { openOnnxReranker } from '../engines/onnx/reranker.ts';
import { createHashEmbedder } from '../search/embed/hash.ts';

/** Where vectors lie and what makes them. */
export interface VectorSettings {
  readonly directory: string;
  /** Directory of a sentence-embedding model; empty: words are hashed. */
  readonly model: string;
  /** Directory of a cross-encoder; empty: there is none. */
  readonly reranker: string;
}

/** Throws Error when the model cannot be used. */
export async function openEmbedder({ model }: Pick<VectorSettings, 'model'>): Promise<Embedder> {
  return model === '' ? createHashEmbedder() : openOnnxEmbedder(model);
}

/** `undefined` where none is named. Throws Error when the model cannot be used. */
export async function openReranker({ reranker }: Pick<VectorSettings, 'reranker'>): Promise<Reranker | undefined> {
  return reranker === '' ? undefined : openOnnxReranker(reranker);
}
