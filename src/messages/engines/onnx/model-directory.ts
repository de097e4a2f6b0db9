import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { codeOf } from '../../../adapters/files/small-file.ts';

/** What one buffer of Node 20 takes, with room; larger models keep their weights in other files, which are not read. */
const MAX_MODEL_BYTES = 2 * 1024 ** 3 - 1;
const MAX_TOKENIZER_BYTES = 64 * 1024 ** 2;

/** The files of a model. Somebody else made them: they are bounded, and nothing that they name is followed. */
export interface ModelFiles {
  readonly model: Buffer;
  readonly tokenizer: object;
  /** Twelve hexadecimal digits that name both files. */
  readonly digest: string;
}

/** Reads `model.onnx` and `tokenizer.json`. Throws Error with a sentence that names the file. */
export async function readModelDirectory(directory: string): Promise<ModelFiles> {
  const model = await readBounded(path.join(directory, 'model.onnx'), MAX_MODEL_BYTES);
  const text = await readBounded(path.join(directory, 'tokenizer.json'), MAX_TOKENIZER_BYTES);
  const digest = createHash('sha256').update(model).update(text).digest('hex').slice(0, 12);
  const tokenizer = parsed(text);
  if (tokenizer === undefined) throw new Error('tokenizer.json of the model is no JSON object');
  return { model, tokenizer, digest };
}

async function readBounded(file: string, mostBytes: number): Promise<Buffer> {
  const name = path.basename(file);
  try {
    // Never blocks on a FIFO.
    await using handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    const stats = await handle.stat();
    if (!stats.isFile()) throw new Error(`${name} of the model is no regular file`);
    if (stats.size > mostBytes) throw new Error(`${name} of the model is larger than ${mostBytes} bytes`);
    return await handle.readFile();
  } catch (error) {
    if (error instanceof Error && !('code' in error)) throw error;
    throw new Error(`${name} of the model cannot be read (${codeOf(error)})`, { cause: error });
  }
}

function parsed(text: Buffer): object | undefined {
  try {
    const value: unknown = JSON.parse(text.toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
