import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inUserNamespace } from '../../support/mounts.ts';

let folder: string;
let answers: Record<string, unknown>;
beforeAll(async () => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'writ-refused-watch-')));
  answers = (await inUserNamespace(new URL('./refused-watch-scenario.ts', import.meta.url), [folder])) as Record<string, unknown>;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const isSo = ([question, answer]: readonly [string, unknown]): void => expect({ [question]: answers[question] }).toEqual({ [question]: answer });

describe('an index whose watches are refused', () => {
  it('does not mind what is mounted where no search looks', () => {
    isSo(['a foreign mount in an ignored directory', 'inotify']);
    isSo(['the end of that mount', null]);
    isSo(['a mount that searches see', 'VETO']);
  });

  it('tries again after pauses that grow, builds nothing meanwhile, and serves when the obstacle is gone', { tags: ['FR-LSI-REC-01'] }, () => {
    isSo(['attempts while nothing changes', 1]);
    isSo(['builds for nothing', 0]);
    isSo(['why', { kind: 'armed', result: { ok: false, refused: 'REMOTE' } }]);
    isSo(['level', 'none']);
    isSo(['when it is over', 'inotify']);
  });

  it('looks at each file itself where watches are used up, until there are some again', () => {
    isSo(['no watches left', { kind: 'armed', result: { ok: false, refused: 'LIMIT' } }]);
    isSo(['level without watches', 'stat']);
    isSo(['a search without watches', { index_bypass: null, index_guarantee: 'stat' }]);
    isSo(['a change without watches', null]);
    isSo(['watches again', 'inotify']);
  });
});
