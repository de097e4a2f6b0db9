import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../config/package.ts';

/** Where the evidence of a long suite lies. */
export function evidencePath(suite: string): string {
  return path.join(packageRoot(), 'docs', 'evidence', `${suite}.json`);
}

export function writeEvidence(file: string, document: Readonly<Record<string, unknown>>): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(document, null, 2)}\n`);
}

/** The commit of the sources, and whether they differ from it. */
export function revision(): string {
  try {
    const git = (...args: string[]): string => execFileSync('git', args, { cwd: packageRoot(), encoding: 'utf8' }).trim();
    const changed = git('status', '--porcelain', '--', 'src', 'processors', 'queues', 'bench', 'test/chaos');
    return git('rev-parse', 'HEAD') + (changed === '' ? '' : ' with changes');
  } catch {
    return 'unknown';
  }
}

/** Minutes since a moment (milliseconds since 1970), two decimals. */
export function minutesSince(moment: number): number {
  return Math.round((Date.now() - moment) / 600) / 100;
}
