import { textBytes } from '../tokenize/windows.ts';
import { statAhead } from './ahead.ts';
import { type JobRun, pacedFiles, walkOf } from './site.ts';

export interface TreeMeasure {
  readonly files: number;
  readonly bytes: number;
  /** Bytes of the files that are tokenized. */
  readonly eligibleBytes: number;
}

/** Counts the eligible files and their bytes. @param isEnough ends the count early */
export function measureTree(run: JobRun, isEnough: (measure: TreeMeasure) => boolean): TreeMeasure {
  const { indexed } = run.site;
  let [files, bytes, eligibleBytes] = [0, 0, 0];
  for (const { stat } of statAhead(
    run,
    pacedFiles(run, walkOf(run), 'ENUMERATE', 0, () => bytes),
  )) {
    files += 1;
    if ('refused' in stat) continue;
    bytes += stat.size;
    Object.assign(run.counted, { files, bytes });
    eligibleBytes += textBytes(stat.size, indexed.maxTokenizedBytes);
    if (isEnough({ files, bytes, eligibleBytes })) break;
  }
  return { files, bytes, eligibleBytes };
}
