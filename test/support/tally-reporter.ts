import { writeFileSync } from 'node:fs';
import type { Reporter, SerializedError, TestModule } from 'vitest/node';

/**
 * Counts for the closing line `N passed, N failed`. Collection errors and unhandled errors are failures; skipped tests
 * are neither. Under `npm test` the counts go to the file named in WRIT_TALLY_FILE, because the static checks are
 * added to them; otherwise the line is written when the process exits, which keeps it the last one.
 */
export default class TallyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    let passed = 0;
    let failed = errors.length;
    for (const module of modules) {
      failed += module.errors().length;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') passed += 1;
        if (state === 'failed') failed += 1;
      }
      for (const suite of module.children.allSuites()) failed += suite.errors().length;
    }
    const file = process.env['WRIT_TALLY_FILE'];
    if (file !== undefined) writeFileSync(file, JSON.stringify({ passed, failed }));
    else process.once('exit', () => process.stdout.write(`${passed} passed, ${failed} failed\n`));
  }
}
