import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../../config/package.ts';

interface Ended {
  readonly code: unknown;
  readonly out: string;
  readonly err: string;
}

/** Ends as the program does. */
function run(program: string, file: string, args: readonly string[] = []): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(program, [file, ...args], { cwd: packageRoot() }, (error, out, err) => resolve({ code: error?.code ?? 0, out, err })).stdin?.end();
  });
}

describe('an example without its arguments', () => {
  it.each([
    [process.execPath, 'examples/client/copy-file.mjs'],
    [process.execPath, 'examples/client/push-many.mjs'],
    [process.execPath, 'examples/raw-producer.mjs'],
    [process.execPath, 'examples/content-search/search.mjs'],
    ['python3', 'examples/raw-producer.py'],
  ])('says how it is used and ends with 2: %s %s', async (program, file) => {
    expect(await run(program, file)).toEqual({ code: 2, out: '', err: expect.stringMatching(/^usage: \S+ examples\/\S+ .+\n$/) });
  });
});

describe('an example that is asked for help', () => {
  it.each(['examples/client/copy-file.mjs', 'examples/client/push-many.mjs', 'examples/content-search/search.mjs'])('gives it: %s', async (file) => {
    expect(await run(process.execPath, file, ['--help'])).toEqual({ code: 0, out: expect.stringContaining(`usage: node ${file} `), err: '' });
  });
});

describe('a raw producer', () => {
  let home: string;
  beforeAll(() => {
    home = mkdtempSync(path.join(os.tmpdir(), 'writ-usage-'));
    const write = (name: string, value: unknown): void => writeFileSync(path.join(home, name), JSON.stringify(value));
    write('connection.json', { redis: { path: path.join(home, 'redis.sock') }, keys: path.join(home, 'keys.json') });
    write('keys.json', { keys: [] });
    write('job.json', { manifest: { task_id: 'a', capability_id: 'FILE_COPY' }, lease: 'x' });
    write('manifest.json', { task_id: 'a', capability_id: 'FILE_COPY' });
  });
  afterAll(() => rmSync(home, { recursive: true }));

  it.each([
    [process.execPath, 'examples/raw-producer.mjs'],
    ['python3', 'examples/raw-producer.py'],
  ])('says in a line what it cannot use, and ends with 2: %s %s', async (program, file) => {
    const at = (name: string): string => path.join(home, name);
    const ends = await Promise.all([
      run(program, file, [at('none.json')]),
      run(program, file, [at('connection.json'), at('manifest.json')]),
      run(program, file, [at('connection.json'), at('job.json')]),
    ]);
    expect(ends).toEqual(
      [/^raw-producer: .*none\.json.*\n$/, /^raw-producer: .*manifest\.json: manifest is missing\n$/, /^raw-producer: .*redis\.sock.*\n$/].map((line) => ({
        code: 2,
        out: '',
        err: expect.stringMatching(line),
      })),
    );
  });
});
