import { textBytes } from '../tokenize/windows.ts';
import { type JobRun, pacedFiles, walkOf } from './site.ts';
import { absolutePath } from './tree-paths.ts';

export interface TreeMeasure {
  readonly files: number;
  readonly bytes: number;
  /** Bytes of the files that are tokenized. */
  readonly eligibleBytes: number;
}

/** Counts the eligible files and their bytes. @param isEnough ends the count early */
export function measureTree(run: JobRun, isEnough: (measure: TreeMeasure) => boolean): TreeMeasure {
  const { files: treeFiles, indexed } = run.site;
  let [files, bytes, eligibleBytes] = [0, 0, 0];
  for (const candidate of pacedFiles(run, walkOf(run), 'ENUMERATE', 0, () => bytes)) {
    const stat = treeFiles.stat(absolutePath(indexed.root, candidate));
    files += 1;
    if ('refused' in stat) continue;
    bytes += stat.size;
    Object.assign(run.counted, { files, bytes });
    eligibleBytes += textBytes(stat.size, indexed.maxTokenizedBytes);
    if (isEnough({ files, bytes, eligibleBytes })) break;
  }
  return { files, bytes, eligibleBytes };
}
