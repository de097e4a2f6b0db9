import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { envelopeOf, fileStep } from '../../support/plan-rig.ts';
import { type Installation, startInstallation } from './installation.ts';

let writ: Installation;
beforeAll(async () => {
  writ = await startInstallation();
  await writ.startWorker();
});
afterAll(() => writ[Symbol.asyncDispose]());

const at = (name: string): string => path.join(writ.base, name);

describe('plans from the command line, on a real Redis with a real kernel and worker', () => {
  it('are checked, run with their steps told, and shown with an end that verifies', async () => {
    writ.file('a');
    const text = JSON.stringify(envelopeOf([fileStep('FILE_COPY', at('a'), at('b')), fileStep('FILE_MOVE', at('b'), at('c'))]));
    const checked = await writ.json(['plan', 'check', '-'], text);
    expect(checked).toMatchObject({ code: 0, tools: 2, once: 2, irreversible: 1, unbound: 0 });
    expect([existsSync(at('b')), existsSync(at('c'))]).toEqual([false, false]);

    const ran = await writ.cli(['plan', 'run', '-', '--wait'], text);
    expect(ran).toMatchObject({ code: 0, out: 'SUCCESS after 2 steps\n', err: expect.stringMatching(/is queued\n[\s\S]+steps? done/) });
    expect([existsSync(at('b')), existsSync(at('c'))]).toEqual([false, true]);
    const id = String(checked['plan_id']);
    expect(await writ.json(['plan', 'show', id, '--verify'])).toMatchObject({ code: 0, state: 'success', steps_done: 2, verified: true });
    expect(await writ.json(['plan', 'show', id, '--memory'])).toMatchObject({ result: { plan_sha256: id, envelope: { error: null } } });
    expect(await writ.cli(['plan', 'cancel', id])).toMatchObject({ code: 1, err: expect.stringContaining('WRONG_STATE') });

    const linked = await writ.cli(['plan', 'check', '-', '--linked'], text);
    expect(await writ.json(['plan', 'run', '-'], linked.out)).toMatchObject({ code: 0, plan_id: id, receipt: 'finished' });

    const undone = await writ.json(['plan', 'undo', id, '--wait']);
    expect(undone).toMatchObject({
      code: 1,
      undo_of: id,
      state: 'success',
      whole: false,
      steps: [
        { path: '1', result: 'undone' },
        { path: '0', undo: 'impossible' },
      ],
    });
    expect([existsSync(at('b')), existsSync(at('c'))]).toEqual([true, false]);
    expect(await writ.cli(['plan', 'undo', id])).toMatchObject({ code: 1, out: expect.stringContaining('cannot be taken back: FILE_COPY has no undo') });
  });

  it('fail with the code of their step, and run on when it is retried', async () => {
    writ.file('x');
    writ.file('taken');
    const text = JSON.stringify(envelopeOf([fileStep('FILE_COPY', at('x'), at('taken'))]));
    const failed = await writ.json(['plan', 'run', '-', '--wait'], text);
    expect(failed).toMatchObject({ code: 1, state: 'failure', error: { code: 'EXECUTION_FAILED' } });
    const id = String(failed['plan_id']);
    expect(await writ.json(['plan', 'retry', id, '--wait'])).toMatchObject({ code: 1, state: 'failure', error: { code: 'EXECUTION_FAILED' } });
    rmSync(at('taken'));
    // The kernel of this installation renews what it has signed.
    expect(await writ.json(['plan', 'retry', id, '--regrant', '--wait'])).toMatchObject({ code: 0, state: 'success' });
    expect(await writ.json(['plan', 'retry', id, '--regrant'])).toMatchObject({ code: 1, error: { code: 'WRONG_STATE' } });
    expect(existsSync(at('taken'))).toBe(true);
  });

  it('are judged by the program itself without Redis', async () => {
    const said = await writ.spawn(['plan', 'check', '-', '--set', 'redis.url=redis://127.0.0.1:1'], JSON.stringify(envelopeOf([])));
    expect(said).toMatchObject({ code: 2, out: '', err: expect.stringContaining('INVALID_CONTRACT') });
    const good = JSON.stringify(envelopeOf([fileStep('FILE_DELETE', at('a'))]));
    expect(await writ.spawn(['plan', 'check', '-', '--set', 'redis.url=redis://127.0.0.1:1'], good)).toMatchObject({ code: 0, err: '' });
  });
});
