import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { letterFolding } from '../../../../../src/content-search/io/backend/letter-folding.ts';
import type { BackendJob, BackendKind, SearchBackend } from '../../../../../src/core/ports/index.ts';
import { answerTo, realBackends, temporaryDirectory } from '../../../../support/content/rig.ts';

let backends: Readonly<Record<BackendKind, SearchBackend>>;
beforeAll(async () => {
  backends = await realBackends();
});

const sorted = (folding: ReadonlyMap<string, readonly string[]>): Record<string, string[]> =>
  Object.fromEntries([...folding].map(([letter, equal]) => [letter, [...equal].sort()]));

/** A backend that says this of whatever it is asked. */
function saying(stdout: string, code = 0, stderr = ''): { readonly backend: SearchBackend; readonly jobs: BackendJob[] } {
  const jobs: BackendJob[] = [];
  const start = (job: BackendJob) => {
    jobs.push(job);
    return {
      stdout: (async function* () {
        yield Buffer.from(stdout);
      })(),
      ended: Promise.resolve({ code, signal: null, stderr }),
      kill: () => undefined,
    };
  };
  return { backend: { kind: 'rg', id: 'rg@1', folding: 'UNICODE_SIMPLE', fuzzy: false, fileList: 'ARGV_CHUNKED', start }, jobs };
}

describe('the letters of a pattern', () => {
  it('have what the backend itself takes as equal: all of Unicode for ripgrep, newer pairs too', { tags: ['FR-LSI-TOK-04.2'] }, async () => {
    const ask = letterFolding(backends.rg);
    // Whether it knows the pair depends on its age: ripgrep 13 does not.
    const root = temporaryDirectory('letters');
    writeFileSync(path.join(root, 'newer.txt'), '\ua7cb');
    const newer = await answerTo({ root, backend: backends.rg }, { pattern: '\u0264', case: 'insensitive' });
    for (const fixed of [true, false]) {
      expect(sorted(await ask('aé中θ\u0264', fixed))).toEqual({
        é: ['É', 'é'],
        中: ['中'],
        θ: ['Θ', 'θ', 'ϑ', 'ϴ'].sort(),
        ɤ: ['\u0264', ...newer.matches.map(({ data }) => data.lines.text)],
      });
    }
  });

  it('have themselves alone for ugrep, which folds ASCII', { tags: ['FR-LSI-TOK-04.2'] }, async () => {
    expect(sorted(await letterFolding(backends.ugrep)('éÉ中', true))).toEqual({ é: ['é'], É: ['É'], 中: ['中'] });
  });

  it('are asked about once each, and no more than sixteen of a pattern', async () => {
    const { backend, jobs } = saying('<stdin>\x001:é\n');
    const ask = letterFolding(backend);
    await ask('éxé', true);
    await ask('é', true);
    expect(jobs).toHaveLength(1);
    await ask(Array.from({ length: 40 }, (_, at) => String.fromCodePoint(0x4e00 + at)).join(''), true);
    expect(jobs).toHaveLength(17);
  });

  it.each([
    ['it finds nothing', '', 1, ''],
    ['it complains', '<stdin>\x001:é\n', 0, 'oh'],
    ['it says something else', 'é\n', 0, ''],
    ['it does not find the letter itself', '<stdin>\x001:e\n', 0, ''],
    ['it finds half of Unicode', Array.from({ length: 40 }, () => '<stdin>\x001:é\n').join(''), 0, ''],
  ])('are not known of a backend if %s', async (_, stdout, code, stderr) => {
    expect((await letterFolding(saying(stdout, code, stderr).backend)('é', true)).size).toBe(0);
  });
});
