import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../../config/package.ts';
import { ran } from '../../chaos/package/ran.ts';
import { patient } from '../../support/patience.ts';

/** A tenth of what `npm run docs:check` types: what a new user meets first. */
const PAGES = ['README.md', 'docs/http.md', 'docs/mcp.md'];

describe('the pages', () => {
  it('do what they say in a fresh copy: the blocks of README, HTTP and MCP are typed, every other one is read', { timeout: patient(300_000) }, async () => {
    // It is compiled there, and the copy takes the rest of it. Another test may be building it.
    expect(await ran('flock', ['package.json', 'scripts/build'], packageRoot())).toMatchObject({ code: 0 });
    const words = [path.join(packageRoot(), 'dist/test/chaos/docs/run.js'), '--built', ...PAGES.flatMap((page) => ['--page', page])];
    const { code, err } = await ran(process.execPath, words, packageRoot());
    expect(err).toMatch(/^0 problems in 3 typed blocks of 3 pages$/m);
    expect(code).toBe(0);
  });
});
