import { WritError } from '../../core/errors.ts';
import { MAX_ITEM_BYTES } from '../shared/input/raw-item.ts';
import { openInput } from './command.ts';
import type { CliIo } from './services.ts';

/**
 * A small input as a whole.
 *
 * @param maxBytes as much as one manifest may have, unless given
 * @throws WritError INVALID_ARGUMENT when it is larger
 */
export async function readText(io: CliIo, file: string, maxBytes = MAX_ITEM_BYTES): Promise<string> {
  const { stream } = await openInput({ io }, file);
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of stream) {
    size += part.length;
    if (size > maxBytes) throw new WritError('INVALID_ARGUMENT', `${file} is larger than ${maxBytes} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
