import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../../config/package.ts';
import { CLIENT_BYTES, clientPackageProblems, writeClientPackage } from '../../../scripts/client-package.ts';
import * as client from '../../../src/surfaces/client/index.ts';

const home = mkdtempSync(path.join(os.tmpdir(), 'writ-client-package-'));
const directory = path.join(home, 'writ-client');
beforeAll(() => writeClientPackage(directory));
afterAll(() => rmSync(home, { recursive: true }));
const manifest = (): Record<string, unknown> => JSON.parse(readFileSync(path.join(directory, 'package.json'), 'utf8')) as Record<string, unknown>;

describe('the package writ-client', () => {
  it('depends on nothing, runs nothing when it is installed, and is small', () => {
    expect(clientPackageProblems(directory)).toEqual([]);
    expect(CLIENT_BYTES).toBeLessThanOrEqual(200 * 1024);
  });

  it('has the version of the tree, and says what it is', () => {
    const { version } = JSON.parse(readFileSync(path.join(packageRoot(), 'package.json'), 'utf8')) as { version: string };
    expect(manifest()).toMatchObject({ name: 'writ-client', version, license: 'MIT', type: 'module', sideEffects: false });
    expect(readFileSync(path.join(directory, 'README.md'), 'utf8')).toContain("from 'writ-client'");
  });

  it('is the code of writ/client: the same names, and nothing of the machine that built it', async () => {
    const packed = (await import(pathToFileURL(path.join(directory, 'index.js')).href)) as object;
    expect(Object.keys(packed).sort()).toEqual(Object.keys(client).sort());
    expect(readFileSync(path.join(directory, 'index.js'), 'utf8')).not.toContain(packageRoot());
  });

  it('is refused with a dependency, a script, a module of Node, or too much in it', async () => {
    const whole = manifest();
    for (const [change, problem] of [
      [{ dependencies: { zod: '4.6.7' } }, "the client's package.json has dependencies"],
      [{ optionalDependencies: {} }, "the client's package.json has optionalDependencies"],
      [{ scripts: { postinstall: 'x' } }, "the client's package.json has scripts"],
    ] as const) {
      writeFileSync(path.join(directory, 'package.json'), JSON.stringify({ ...whole, ...change }));
      expect(clientPackageProblems(directory)).toEqual([problem]);
    }
    appendFileSync(path.join(directory, 'index.js'), `import fs from 'node:fs';\n${' '.repeat(CLIENT_BYTES)}`);
    writeFileSync(path.join(directory, 'package.json'), JSON.stringify(whole));
    expect(clientPackageProblems(directory)).toEqual([
      expect.stringMatching(/^the client has \d+ bytes, at most 204800 are allowed$/),
      "the client asks for what is not its own: import fs from 'node:fs';",
    ]);
  });
});
