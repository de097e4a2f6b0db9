/** Runs without privileges (see `asUnprivileged`) over directories that its parent prepared, and prints the answers as JSON. */
import { ScanError } from '../../../src/executors/search/scan-error.ts';
import { LEVELS, searchFiles } from '../../support/search-files.ts';

const roots = process.argv.slice(2);
const answers: string[][] = [];
for (const root of roots) {
  for (const level of LEVELS) {
    const answer = await searchFiles(level, root, 'e').then(
      ({ hits }) => hits.map(({ id }) => id),
      (error: unknown) => (error instanceof ScanError ? [error.code, error.message] : [String(error)]),
    );
    answers.push(answer);
  }
}
process.stdout.write(JSON.stringify(answers));
