import { WritError } from '../../../core/errors.ts';
import { MAX_ITEM_BYTES } from '../../input/raw-item.ts';
import type { CliIo } from '../services.ts';

export interface Input {
  readonly stream: AsyncIterable<Uint8Array>;
  /** `undefined` for a pipe. */
  readonly bytes: number | undefined;
}

/** The named file, or standard input for `-`. */
export async function openInput(io: CliIo, file: string): Promise<Input> {
  return file === '-' ? { stream: io.stdin, bytes: undefined } : io.openFile(file);
}

/**
 * A small input as a whole.
 *
 * @throws WritError INVALID_ARGUMENT when it is larger than one manifest may be
 */
export async function readText(io: CliIo, file: string): Promise<string> {
  const { stream } = await openInput(io, file);
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of stream) {
    size += part.length;
    if (size > MAX_ITEM_BYTES) throw new WritError('INVALID_ARGUMENT', `${file} is larger than ${MAX_ITEM_BYTES} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
