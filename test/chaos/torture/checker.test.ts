import { describe, expect, it } from 'vitest';
import { judge } from './checker.ts';
import { at, begin, delivery, type Forged, heard, MINUTE, planned, trueHistory } from './forged.ts';

/** What is forged, and what the checker must say. Each takes one thing out of a history that is true. */
const FORGERIES: readonly (readonly [name: string, forge: (history: Forged) => void, says: RegExp])[] = [
  ['a move that was done twice', ({ world }) => moveFile(world, 'b', 'b.done'), /effect twice/],
  ['a move that left its source', ({ world }) => void world.files.set(at('a'), 'content of a'), /files: moved: its content stands at/],
  ['a move whose file is gone', ({ world }) => void world.files.delete(at('a.done')), /moved: its content stands at nowhere/],
  ['an effect behind a failure', ({ world }) => void world.tasks.set('moved', { status: 'FAILURE', says: '', signed: true }), /moved \(FAILURE\)/],
  ['two who have moved one file', ({ world }) => void world.tasks.set('second', { status: 'SUCCESS', says: '', signed: true }), /both moved one file/],
  ['a file that was clobbered', ({ world }) => void world.files.set(at('taken'), 'content of g'), /a bystander: its content stands at nowhere/],
  ['half of a file', ({ world }) => void world.files.set(at('a.half'), 'content o'), /nobody asked for \/base\/a.half/],
  ['a task that began too early', ({ world }) => void world.changed.set(at('h.done'), begin - 1000), /later: later was done at/],
  [
    'a task that was lost',
    ({ world }) => void world.tasks.set('moved', { status: 'none', says: 'NOT_FOUND', signed: false }),
    /moved was accepted and has not ended/,
  ],
  ['a plan that was lost', ({ world }) => void world.plans.delete('plan'), /asking \(plan\) was accepted and has not ended/],
  [
    'an end that nobody has signed',
    ({ world }) => void world.tasks.set('moved', { status: 'SUCCESS', says: '', signed: false }),
    /moved has an end that no executor has signed/,
  ],
  ['another answer to a task that has succeeded', ({ model }) => void model.answers.get('moved')?.add('other'), /moved has had 2 answers/],
  [
    'a success that became a failure',
    ({ world }) => void world.tasks.set('moved', { status: 'FAILURE', says: '', signed: true }),
    /moved was answered with SUCCESS, and is FAILURE/,
  ],
  ['the end of a firing that nobody heard', ({ world }) => void world.taken.splice(1, 1), /files has not heard plan.succeeded of 1/],
  ['the end of an undo that nobody heard', ({ world }) => void world.taken.splice(0, 1), /files has not heard plan.succeeded of u/],
  ['an audit log that was cut', ({ world }) => void Object.assign(world, { auditFault: 'cut' }), /the audit log: cut/],
  ['a request sent twice under one key', ({ world }) => void world.asked.push(heard('k3', 'middle', { status: 503 })), /middle was sent twice under k3/],
  ['a request that was done twice', ({ world }) => void world.asked.push(heard('k4', 'request')), /was done 2 times by the provider/],
  [
    'more attempts than were declared',
    ({ world }) => void world.asked.push(heard('k5', 'middle', { status: 503 })),
    /was sent 2 times, and declares 0 retries/,
  ],
  ['a request that nobody heard', ({ world }) => void world.asked.splice(2, 1), /is a SUCCESS, and was done 0 times/],
  ['a request that nobody asked for', ({ world }) => void world.asked.push(heard('k6', 'strange')), /nobody asked for it/],
  [
    'a firing of a time when it was not active',
    ({ world }) => void world.firings.push({ id: 'x', schedule: 'ticks', planned: planned - 5, state: 'ended', detail: 'SUCCESS' }),
    /when it was not active/,
  ],
  ['a firing that is on no record', ({ world }) => void world.asked.push(heard('tick-9', 'ticks')), /tick-9 was heard, and is no firing on record/],
  [
    'two firings of one time',
    ({ world }) => void world.firings.push({ id: 'y', schedule: 'ticks', planned: planned + 1, state: 'ended', detail: 'FAILED' }),
    /two firings/,
  ],
  ['a time that was forgotten', ({ world }) => void world.firings.splice(1, 1), /was due at .*: not on record/],
  [
    'a time left out against the settings',
    ({ world }) => void world.firings.splice(1, 1, { id: 'z', schedule: 'ticks', planned: planned + 2, state: 'skipped', detail: 'overlap' }),
    /left out as overlap/,
  ],
  [
    'a firing ahead of a clock that was not ahead so far',
    ({ model, world }) => {
      model.jumps.push({ aheadMs: MINUTE, from: begin + 2 * MINUTE, until: begin + 2.1 * MINUTE });
      world.firings.push({ id: 'tick-5', schedule: 'ticks', planned: planned + 5, state: 'ended', detail: 'TOOL_OUTCOME_UNKNOWN' });
    },
    /fired for .*10:05:00.000Z, when it was not active/,
  ],
  [
    'a time that was forgotten when the clock was right again',
    ({ model, world }) => {
      model.jumps.push({ aheadMs: MINUTE, from: begin + MINUTE, until: begin + 1.1 * MINUTE });
      world.firings.splice(1, 1);
    },
    /ticks .*was due at .*10:02:00.000Z: not on record/,
  ],
  [
    'a firing that was made ahead of its time and is gone',
    ({ model }) => void model.early.push({ schedule: 'ticks', planned: planned + 4 }),
    /ticks had a firing for .*10:04:00.000Z while the clock was ahead, and has none/,
  ],
  [
    'a request of a firing that left before its lease began',
    ({ world }) => void world.asked.splice(5, 1, heard('tick-3', 'ticks', { at: (planned + 1) * MINUTE })),
    /ticks: the firing for .*10:03:00.000Z was done at .*10:01:00.000Z/,
  ],
  [
    'a plan of a firing that ran before its lease began',
    ({ world }) => void world.changed.set(at(`s-${new Date((planned + 1) * MINUTE).toISOString()}`), (planned - 1) * MINUTE),
    /copies: the firing for .*10:01:00.000Z was done at/,
  ],
  [
    'a firing that the kernel would not sign any more',
    ({ world }) => void world.firings.splice(1, 1, { id: 'tick-2', schedule: 'ticks', planned: planned + 2, state: 'refused', detail: 'LEASE_REFUSED' }),
    /was given up as refused LEASE_REFUSED/,
  ],
  [
    'a firing that was pushed in vain',
    ({ world }) => void world.firings.splice(1, 1, { id: 'tick-2', schedule: 'ticks', planned: planned + 2, state: 'ended', detail: 'unproven' }),
    /was given up as ended unproven/,
  ],
  [
    'a decision after its deadline, by a clock that had been right again',
    ({ model }) => {
      model.jumps.push({ aheadMs: -60 * MINUTE, from: begin + 50 * MINUTE, until: begin + 55 * MINUTE });
      const late = { step: 'question', word: 'approved', askedAt: begin + 60 * MINUTE, answeredAt: begin + 61 * MINUTE } as const;
      model.plans[0]?.words.splice(0, 1, { ...late, outcome: { kind: 'acknowledged', state: 'approved' } });
    },
    /after the deadline/,
  ],
  [
    'a firing that never ends',
    ({ world }) => void world.firings.push({ id: 'w', schedule: 'copies', planned: planned + 2.5, state: 'pushed', detail: undefined }),
    /is pushed for ever/,
  ],
  [
    'a firing that copied and failed',
    ({ world }) => void world.firings.splice(3, 1, { id: 'p-1', schedule: 'copies', planned: planned + 1, state: 'ended', detail: 'EXECUTION_FAILED' }),
    /copies of copies/,
  ],
  [
    'a decision that changed',
    ({ world }) =>
      void world.approvals.set(
        'plan',
        (world.approvals.get('plan') ?? []).map((row) => ({ ...row, state: 'denied' as const })),
      ),
    /approved was acknowledged as approved, and the kernel has denied/,
  ],
  ['a decision that nobody made', ({ model }) => void model.plans[0]?.words.splice(0), /the kernel has approved, which nobody said/],
  [
    'a decision after its deadline',
    ({ model }) =>
      void model.plans[0]?.words.splice(0, 1, {
        step: 'question',
        word: 'approved',
        askedAt: begin + 60 * MINUTE,
        outcome: { kind: 'acknowledged', state: 'approved' },
      }),
    /after the deadline/,
  ],
  ['a decision that was lost', ({ world }) => void world.approvals.set('plan', []), /the kernel has no such question/],
  [
    'a step behind a question that was denied',
    ({ world }) =>
      void world.plans.set('denied', {
        state: 'failure',
        code: '',
        signed: true,
        steps: [{ path: '1', task_id: '', generation: 0, state: 'success', voided: false }],
      }),
    /nobody has approved step 0/,
  ],
  ['an undo that stood for two', ({ world }) => changeUndo(world, { ids: ['u', 'v'] }), /has the undos u and v/],
  ['an undo that says that it is whole', ({ world }) => changeUndo(world, {}, { whole: true }), /says that it is whole/],
  [
    'an undo that hides the step in the middle',
    ({ world }) => changeUndo(world, {}, { steps: [{ path: '2', task_id: '2', undo: 'planned', result: 'undone' }] }),
    /instead of 0 not_reached, 1 impossible, 2 undone/,
  ],
  ['an undo that brought nothing back', ({ world }) => moveFile(world, 'i', 'i.done'), /undone step 2 \(taken back\)/],
  ['an end that nobody heard', ({ world }) => void world.taken.splice(2, 1), /files has not heard task.succeeded of moved/],
  [
    'an end that was heard and not kept',
    ({ world }) => void world.taken.splice(2, 1, delivery('moved', 'task.succeeded', { status: 503 })),
    /files has not heard task.succeeded of moved/,
  ],
  ['a notice of another key', ({ world }) => void world.taken.push(delivery('moved', 'task.succeeded', { genuine: false })), /not signed by the installation/],
  [
    'a notice of a result that was invented',
    ({ world }) => void world.taken.push(delivery('moved', 'task.succeeded', { signed: false })),
    /no executor has signed/,
  ],
  ['a notice with two texts', ({ world }) => void world.taken.push(delivery('moved', 'task.succeeded', { body: 'another' })), /has two texts/],
  [
    'ends in the wrong order',
    ({ world }) => void world.taken.push(delivery('moved', 'task.failed', { timestamp: '2026-01-01T09:00:00.000Z' })),
    /was told after one of/,
  ],
  [
    'a success that is none',
    ({ world }) => void world.taken.push(delivery('refused', 'task.succeeded', { timestamp: '2027' })),
    /tells a success that is none/,
  ],
  [
    'a notice that waits for ever',
    ({ world }) => void world.notices.push({ id: 'm', endpoint: 'files', state: 'pending', attempts: 3, created_at: '' }),
    /still pending/,
  ],
  [
    'a dead notice that nobody sent again',
    ({ world }) => {
      world.taken.splice(2, 1, delivery('moved', 'task.succeeded', { status: 410 }));
      world.notices.push({ id: 'm', endpoint: 'files', task_id: 'moved', state: 'dead', attempts: 1, created_at: '', problem: '410' });
    },
    /m for files is dead, though sent again: 410/,
  ],
  [
    'a dead notice that was sent again and lost',
    ({ world }) => void world.taken.splice(2, 1, delivery('moved', 'task.succeeded', { status: 410 })),
    /files has not heard task.succeeded of moved/,
  ],
  [
    'a dead notice that came again under another id',
    ({ world }) => void world.taken.splice(2, 0, delivery('moved', 'task.succeeded', { id: 'other', status: 410 })),
    /moved at files \(moved task.succeeded\) was told under another id/,
  ],
  [
    'a dead notice that came again with another text',
    ({ world }) => void world.taken.splice(2, 0, delivery('moved', 'task.succeeded', { body: 'another', status: 410 })),
    /has two texts/,
  ],
  [
    'an end at a receiver that was not named',
    ({ world }) => void world.taken.push(delivery('moved', 'task.succeeded', { endpoint: 'named' })),
    /moved at named \(moved task.succeeded\) is nothing that it wants/,
  ],
  [
    'the end of an undo at the receiver of a key that did not push it',
    ({ world }) => void world.taken.push(delivery('u', 'plan.succeeded', { endpoint: 'mine' })),
    /u at mine .* is nothing that it wants/,
  ],
  [
    'a request told to who wants file tasks',
    ({ world }) => void world.taken.push(delivery('tick-1', 'task.succeeded', { capability: 'TOOL_CALL' })),
    /tick-1 at files .* is nothing that it wants/,
  ],
  [
    'a plan of nobody told to who wants plans',
    ({ world }) => void world.taken.push(delivery('strange', 'plan.succeeded')),
    /strange at files .* is nothing that it wants/,
  ],
  ['a file that is not found', ({ model }) => replace(model.looks, 0, { found: [] }), /replaced, then searched by content for new: nothing instead of file/],
  ['a file found by what it has no more', ({ model }) => replace(model.looks, 1, { found: ['file'] }), /for old: file instead of nothing/],
  ['a message that was stored twice', ({ model }) => void model.letters[0]?.ids.add(9), /kept has the ids 7 and 9/],
  ['a message that was lost', ({ world }) => void world.letters.set('kept', []), /kept in the end: nothing instead of 7/],
  ['a message that came back', ({ world }) => void world.letters.set('deleted', [8]), /deleted in the end: 8 instead of nothing/],
  ['a page that leaves a message out', ({ model }) => replace(model.walks, 0, { found: [9] }), /turning pages did not meet 7/],
  ['a message on two pages', ({ model }) => replace(model.walks, 0, { found: [7, 9, 7] }), /turning pages met 7 twice/],
  ['a page with a deleted message', ({ model }) => replace(model.walks, 0, { found: [8, 7] }), /turning pages met 8, which was deleted/],
  ['an attempt that waits for ever', ({ world }) => void world.unanswered.push('mine'), /an attempt at mine waits for ever/],
  ['a role that did not drain', ({ world }) => void world.undrained.push('api ended with SIGKILL'), /api ended with SIGKILL/],
];

describe('the checker of the torture', () => {
  it('has nothing against a history in which everything went as it was asked', () => {
    const { model, world } = trueHistory();
    expect(judge(model, world)).toEqual([]);
  });

  it.each(FORGERIES)('finds %s', (_, forge, says) => {
    const history = trueHistory();
    forge(history);
    expect(judge(history.model, history.world)).toContainEqual(expect.stringMatching(says));
  });

  it('lets a notice that was refused for good, and was sent again, come after what it came before', () => {
    const { model, world } = trueHistory();
    const early = { timestamp: '2026-01-01T09:00:00.000Z', result: 'another' };
    world.taken.unshift(delivery('moved', 'task.failed', { ...early, status: 410 }));
    world.taken.push(delivery('moved', 'task.failed', early));
    expect(judge(model, world)).toEqual([]);
  });

  it('grants what comes of a clock that was wrong', () => {
    const { model, world } = trueHistory();
    // Ahead over two minutes before the schedules ended, so that both have made times that never came for anybody else; back behind the third.
    model.jumps.push({ aheadMs: 2 * MINUTE, from: begin + 2.5 * MINUTE, until: begin + 2.6 * MINUTE });
    world.firings.push({ id: 'p-5', schedule: 'copies', planned: planned + 5, state: 'skipped', detail: 'overlap' });
    world.firings.push({ id: 'tick-4', schedule: 'ticks', planned: planned + 4, state: 'ended', detail: 'TOOL_OUTCOME_UNKNOWN' });
    world.firings.push({ id: 'tick-5', schedule: 'ticks', planned: planned + 5, state: 'ended', detail: 'TOOL_OUTCOME_UNKNOWN' });
    model.early.push({ schedule: 'ticks', planned: planned + 4 }, { schedule: 'ticks', planned: planned + 5 });
    expect(judge(model, world)).toEqual([]);
  });
});

function moveFile({ files }: Forged['world'], from: string, to: string): void {
  files.set(at(to), files.get(at(from)) ?? '');
  files.delete(at(from));
}

function replace<T extends object>(rows: T[], at: number, change: Partial<T>): void {
  const before = rows[at];
  if (before !== undefined) rows[at] = { ...before, ...change };
}

type Undo = Parameters<Forged['world']['undos']['set']>[1];

function changeUndo({ undos }: Forged['world'], end: Partial<Undo>, answer: Partial<Undo['answer']> = {}): void {
  const before = undos.get('undone');
  if (before !== undefined) undos.set('undone', { ...before, ...end, answer: { ...before.answer, ...answer } });
}
