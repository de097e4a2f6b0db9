import type { Reranker } from '../../../core/ports/reranker.ts';
import { readModelDirectory } from './model-directory.ts';
import { openSession } from './session.ts';
import { createTokenizing } from './tokens.ts';

/**
 * A cross-encoder in a directory of this host (`model.onnx`, `tokenizer.json`): one number for each pair of query and text.
 *
 * @throws Error when the directory has no model that can be used, or onnxruntime-node is not installed
 */
export async function openOnnxReranker(directory: string): Promise<Reranker> {
  const { model, tokenizer, digest } = await readModelDirectory(directory);
  const tokenizing = createTokenizing(tokenizer);
  const session = await openSession(model, ['logits', 'output']);
  return {
    id: `onnx-${digest}`,
    async judge(query, texts, signal) {
      const numbers: number[] = [];
      for await (const { data, dims, mask } of session.run(texts.map((text) => tokenizing.pair(query, text)))) {
        // A batch keeps the thread busy: between two of them others are heard.
        signal.throwIfAborted();
        if (data.length !== mask.length) throw new Error(`the model answers ${dims.slice(1).join(' x ')} numbers for a pair`);
        numbers.push(...data);
      }
      return numbers;
    },
  };
}
