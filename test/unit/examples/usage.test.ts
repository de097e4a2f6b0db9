import { execFile } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../../config/package.ts';

/** Ends as the program does. */
function run(program: string, file: string): Promise<{ readonly code: unknown; readonly err: string }> {
  return new Promise((resolve) => execFile(program, [file], { cwd: packageRoot() }, (error, _, err) => resolve({ code: error?.code ?? 0, err })));
}

describe('an example without its arguments', () => {
  it.each([
    [process.execPath, 'examples/client/copy-file.mjs'],
    [process.execPath, 'examples/raw-producer.mjs'],
    [process.execPath, 'examples/content-search/search.mjs'],
    ['python3', 'examples/raw-producer.py'],
  ])('says how it is used and ends with 2: %s %s', async (program, file) => {
    expect(await run(program, file)).toEqual({ code: 2, err: expect.stringMatching(/^usage: \S+ examples\/\S+ .+\n$/) });
  });
});
