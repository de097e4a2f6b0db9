import { warningLine } from '../enumerate/warning-line.ts';
import type { Candidate, Warning } from '../search/types.ts';
import type { Chunk } from './chunks.ts';

/** A line about a file that could not be searched; `reason` is an errno name or plain words. */
export function fileWarning(number: number, path: string, reason: string): Warning {
  return { before: number, line: warningLine(path, /^[\w ,/'-]{1,100}$/.test(reason) ? reason : 'cannot be read') };
}

/** The files of a chunk that cannot be opened now, a line for each. */
export function refusedFiles({ first, files }: Chunk, tryOpen: (file: Candidate) => string | undefined): readonly Warning[] {
  return files.flatMap((file, index) => {
    const reason = tryOpen(file);
    return reason === undefined ? [] : [fileWarning(first + index, file.text, reason)];
  });
}
