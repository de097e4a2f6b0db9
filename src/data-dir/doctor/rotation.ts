import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { type Check, examine, type Finding, passed, warning } from '../../core/findings.ts';
import { bytes } from '../../core/units.ts';
import { saysAbsent, unreadable } from '../../core/unreadable.ts';
import type { DataDirPaths } from '../paths.ts';

/** The size at which a file is put aside; 0: never for it. */
interface Rotated {
  readonly rotate_mb: number;
}

const MIB = 1024 * 1024;
/** A file is put aside before the next write, so that the last one may go beyond. */
const LAST_WRITE = 2 * MIB;
const REMEDY = 'make room, or look who has put another file in its place; the log of its role says why (`a log cannot be put aside, and grows on`)';

/** Whether logs and the audit log are as long as the settings let them be: one that cannot be put aside grows on and keeps nobody from working. */
export function examineRotation(
  { logs, audit }: Pick<DataDirPaths, 'logs' | 'audit'>,
  settings: { readonly log: Rotated; readonly audit: Rotated },
): Promise<Check[]> {
  const files = () => [...logsIn(logs).map((file) => ({ file, ...settings.log })), { file: audit, ...settings.audit }];
  return examine('Logs', [{ title: 'rotation', look: () => rotation(files()), todo: REMEDY }]);
}

function rotation(files: readonly ({ readonly file: string } & Rotated)[]): Finding {
  const long = files.flatMap(({ file, rotate_mb }) => {
    const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    const isLong = rotate_mb > 0 && size > rotate_mb * MIB + LAST_WRITE;
    return isLong ? [`${path.basename(file)} has ${bytes(size)} and was to be put aside at ${bytes(rotate_mb * MIB)}`] : [];
  });
  return long.length > 0 ? warning(long.join('; '), REMEDY) : passed('no file is longer than the settings let it be');
}

function logsIn(directory: string): string[] {
  try {
    return readdirSync(directory)
      .filter((name) => name.endsWith('.log'))
      .sort()
      .map((name) => path.join(directory, name));
  } catch (error) {
    if (saysAbsent(error)) return [];
    throw unreadable(directory, error);
  }
}
