import { createInterface } from 'node:readline/promises';
import type { CliIo } from '../services.ts';

/** Whether the person at the terminal says yes; `undefined` where nobody sits at one. */
export async function askYes({ stdin, stderr }: Pick<CliIo, 'stdin' | 'stderr'>, question: string): Promise<boolean | undefined> {
  if (stderr.isTTY !== true || !('isTTY' in stdin) || stdin.isTTY !== true) return undefined;
  const lines = createInterface({ input: stdin, output: stderr });
  try {
    // The end of the input answers as well: with no.
    const closed = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
    return /^y(es)?$/i.test((await Promise.race([lines.question(question), closed])).trim());
  } finally {
    lines.close();
  }
}
