import { WritError } from '../../../core/errors.ts';
import { readText } from '../input/open.ts';
import type { CliIo } from '../services.ts';

/** A token as the argument, or `-` for standard input. */
export async function tokenOf(io: CliIo, word: string): Promise<string> {
  const token = (word === '-' ? await readText(io, '-') : word).trim();
  if (token === '') throw new WritError('INVALID_ARGUMENT', 'no lease was given', { field: 'token' });
  return token;
}
