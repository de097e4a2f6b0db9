import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../../config/package.ts';
import { inMountNamespace } from '../../support/mounts.ts';
import { patient } from '../../support/patience.ts';
import { PLAN_STEPS, UNDER_WAY } from '../../support/upgrade/ground.ts';
import { unpack } from '../../support/upgrade/make.ts';
import type { Opened } from '../../support/upgrade/open-child.ts';
import type { Refused } from '../../support/upgrade/refuse-child.ts';

const FIXTURES = path.join(packageRoot(), 'test/fixtures/upgrade');
const ARCHIVES = readdirSync(FIXTURES).filter((name) => name.endsWith('.tgz'));

describe.each(ARCHIVES)('what the program of 0.1.0 left when it was killed, %s, opened by this one', (archive) => {
  const home = mkdtempSync(path.join(tmpdir(), 'writ-upgrade-'));
  let opened: Opened;

  beforeAll(async () => {
    unpack(path.join(FIXTURES, archive), home);
    opened = (await inMountNamespace(new URL('../../support/upgrade/open-child.ts', import.meta.url), [home])) as Opened;
  }, patient(180_000));
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  it('has every task that had ended, with its result word for word, under keys that verify it', () => {
    const { made, ended } = opened;
    expect(ended).toEqual(Object.fromEntries(Object.entries(made.tasks).map(([id, { state }]) => [id, { state, same: true, verified: true }])));
  });

  it('answers the push of a task that is done with its old result, and touches no file', () => {
    expect(opened.repeated).toEqual({ status: 200, replayed: true, left: true });
  });

  it('takes back a move and a deletion of then', () => {
    expect(opened.undone).toEqual({ move: true, deletion: true });
  });

  it('does what was under way, each move once', () => {
    expect(opened.underWay).toEqual({ succeeded: UNDER_WAY, right: UNDER_WAY });
  });

  it('knows the plan that had ended, and runs on the one that was under way', () => {
    expect(opened.plans).toEqual({ ended: 'success', underWay: 'success', right: 2 * PLAN_STEPS });
  });

  it('finds messages, contents of files and tasks of then', () => {
    const { messages, matches, listed, made } = opened;
    expect({ messages, matches }).toEqual({ messages: 3, matches: 1 });
    expect(listed).toBeGreaterThanOrEqual(Object.keys(made.tasks).length + UNDER_WAY);
  });

  it('keeps the audit log whole, and stops as it should', () => {
    expect({ auditVerify: opened.auditVerify, stopped: opened.stopped }).toEqual({ auditVerify: 0, stopped: 0 });
  });

  it('leaves no database at an older schema than it writes', () => {
    const { made, schemas } = opened;
    for (const [file, before] of Object.entries(made.schemas)) expect(schemas[file], file).toBeGreaterThanOrEqual(before);
  });
});

describe('data of a newer program', () => {
  /** What is made anew from the others, and may be deleted at any time. */
  const COPIES = ['content-index/records.db', 'messages/vectors/state.sqlite', 'task-index.db'];

  it(
    'are refused by each role in a coded sentence, and left as they are',
    async () => {
      const home = mkdtempSync(path.join(tmpdir(), 'writ-upgrade-'));
      try {
        unpack(path.join(FIXTURES, ARCHIVES.at(-1) ?? ''), home);
        const { said, filesLeft, changed } = (await inMountNamespace(new URL('../../support/upgrade/refuse-child.ts', import.meta.url), [home])) as Refused;
        const sentence = /^STORAGE_UNAVAILABLE the database \S+ has schema (\d+), this version of Writ reads (\d+)$/;
        expect(said).toMatchObject({ kernel: expect.stringMatching(sentence), worker: expect.stringMatching(sentence) });
        expect(filesLeft).toBe(true);
        expect(changed.filter((file) => !COPIES.includes(file))).toEqual([]);
      } finally {
        rmSync(home, { recursive: true, force: true });
      }
    },
    patient(120_000),
  );
});

describe('the fixtures of upgrades', () => {
  it('are small, and some of them has an older schema', () => {
    const bytes = ARCHIVES.map((name) => Number(execFileSync('stat', ['-c', '%s', path.join(FIXTURES, name)], { encoding: 'utf8' })));
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(300_000);
    expect(ARCHIVES.length).toBeGreaterThanOrEqual(2);
  });
});
