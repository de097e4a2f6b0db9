import type { ApprovalView, PlanStepRecord } from '../../../src/surfaces/client/index.ts';
import { createModel, type Endpoint, type FileDeed, type Model } from './model.ts';
import type { Heard, Taken, TaskEnd, World } from './world.ts';

/** A small history in which everything went as it was asked, made by hand, for whoever wants to spoil it. */
export interface Forged {
  readonly model: Model;
  readonly world: Spoiled;
}

/** The same as a world, and may be changed. */
export type Spoiled = {
  -readonly [K in keyof World]: World[K] extends ReadonlyMap<infer Key, infer Value>
    ? Map<Key, Value>
    : World[K] extends readonly (infer Item)[]
      ? Item[]
      : World[K];
};

/** Ten minutes that everything falls into; the schedules were active from `begin` on. */
export const MINUTE = 60_000;
export const begin = Date.parse('2026-01-01T10:00:30Z');
/** The minute of `begin`, since 1970. */
export const planned = Math.floor(begin / MINUTE);
export const until = '2026-01-01T10:05:00.000Z';
export const at = (name: string): string => `/base/${name}`;

/** What was asked, and a world in which it was done. */
export function trueHistory(): Forged {
  const model = createModel();
  const told: readonly Endpoint[] = ['files'];
  const move = (name: string, to = `${name}.done`): FileDeed => ({ does: 'move', source: at(name), destination: at(to), content: `content of ${name}` });
  model.tasks.push({ id: 'moved', ...move('a'), told }, { id: 'baited', ...move('b'), told, bait: { taken: at('b.taken'), content: 'bait' } });
  model.tasks.push({ id: 'first', ...move('c'), rival: true, told: [] }, { id: 'second', ...move('c', 'c.other'), rival: true, told: [] });
  model.tasks.push({ id: 'refused', ...move('g', 'taken'), told });
  model.tasks.push({ id: 'later', ...move('h'), told: [], notBefore: begin });
  model.bystanders.set(at('taken'), 'a bystander');
  model.plans.push({
    id: 'plan',
    name: 'asking',
    told,
    words: [{ step: 'question', word: 'approved', askedAt: begin, outcome: { kind: 'acknowledged', state: 'approved' } }],
    steps: [
      { path: '0', kind: 'once', n: 'request', retries: 1, refusals: 1 },
      { path: '1', kind: 'question' },
      { path: '2', kind: 'file', behind: '1', ...move('d') },
    ],
  });
  model.plans.push({
    id: 'denied',
    name: 'denied',
    told: [],
    words: [{ step: 'other', word: 'denied', askedAt: begin, outcome: { kind: 'acknowledged', state: 'denied' } }],
    steps: [
      { path: '0', kind: 'question' },
      { path: '1', kind: 'file', behind: '0', ...move('e') },
    ],
  });
  model.plans.push({
    id: 'undone',
    name: 'undone',
    told: [],
    words: [],
    steps: [
      { path: '0', kind: 'file', ...move('f') },
      { path: '1', kind: 'once', n: 'middle', retries: 0, refusals: 0 },
      { path: '2', kind: 'file', ...move('i') },
    ],
  });
  model.undos.push({ plan: 'undone', stopsAt: '1' });
  const active = () => [{ mayFrom: begin, mustFrom: begin, mustUntil: begin + 3 * MINUTE, mayUntil: begin + 3 * MINUTE }];
  model.schedules.push({ id: 'ticks', makes: 'request', missed: 'all', overlap: 'allow', active: active() });
  model.schedules.push({
    id: 'copies',
    makes: 'plan',
    missed: 'latest',
    overlap: 'skip',
    active: active(),
    copies: { source: at('s'), content: 'content of s', destination: (time) => at(`s-${time}`) },
  });
  model.answers.set('moved', new Set(['signed']));
  const look = { by: 'content', excluded: 1 } as const;
  model.looks.push({ ...look, text: 'new', after: 'replaced', wanted: 'file', found: ['file'] });
  model.looks.push({ ...look, text: 'old', after: 'replaced', wanted: undefined, found: [] });
  const never = Number.POSITIVE_INFINITY;
  model.letters.push({ key: 'kept', word: 'a', ids: new Set([7]), storedAt: begin, endAskedAt: never, endedAt: never });
  model.letters.push({ key: 'deleted', word: 'b', ids: new Set([8]), storedAt: begin, endAskedAt: begin, endedAt: begin });
  model.walks.push({ wanted: [7], gone: [8], found: [9, 7] });
  return { model, world: trueWorld() };
}

function trueWorld(): Spoiled {
  const success = (path: string, more: Partial<PlanStepRecord> = {}): PlanStepRecord => ({
    path,
    task_id: path,
    generation: 0,
    state: 'success',
    voided: false,
    ...more,
  });
  const question = (step: string, path: string, state: 'approved' | 'denied'): ApprovalView => ({
    plan_id: '',
    step,
    path,
    role: 'approve',
    question: '?',
    state,
    asked_at: until,
    until,
  });
  const signed = { status: 'SUCCESS' as const, says: 'signed', signed: true };
  const failed = { status: 'FAILURE' as const, says: 'EXECUTION_FAILED: no', signed: true };
  const copy = at(`s-${new Date((planned + 1) * MINUTE).toISOString()}`);
  return {
    files: new Map([
      [at('a.done'), 'content of a'],
      [at('b.taken'), 'content of b'],
      [at('b'), 'bait'],
      [at('c.done'), 'content of c'],
      [at('d.done'), 'content of d'],
      [at('e'), 'content of e'],
      [at('f.done'), 'content of f'],
      [at('i'), 'content of i'],
      [at('g'), 'content of g'],
      [at('h.done'), 'content of h'],
      [at('taken'), 'a bystander'],
      [at('s'), 'content of s'],
      [copy, 'content of s'],
    ]),
    changed: new Map([
      [at('h.done'), begin + 1],
      [copy, (planned + 1) * MINUTE],
    ]),
    tasks: new Map<string, TaskEnd>([
      ...['moved', 'baited', 'first', 'later'].map((id) => [id, signed] as const),
      ...['second', 'refused'].map((id) => [id, failed] as const),
    ]),
    plans: new Map([
      [
        'plan',
        {
          state: 'success',
          code: undefined,
          signed: true,
          steps: [success('0', { state: 'failure', error_code: 'TOOL_FAILED' }), success('0~2'), success('1'), success('2')],
        },
      ],
      ['denied', { state: 'failure', code: 'APPROVAL_DENIED', signed: true, steps: [success('0', { state: 'failure', error_code: 'APPROVAL_DENIED' })] }],
      ['undone', { state: 'success', code: undefined, signed: true, steps: [success('0'), success('1'), success('2')] }],
    ]),
    undos: new Map([
      [
        'undone',
        {
          ids: ['u', 'u'],
          answer: {
            plan_id: 'u',
            undo_of: 'undone',
            receipt: 'finished',
            state: 'success',
            whole: false,
            location: '',
            steps: [
              { path: '2', task_id: '2', undo: 'planned', result: 'undone' },
              { path: '1', task_id: '1', undo: 'impossible' },
              { path: '0', task_id: '0', undo: 'not_reached' },
            ],
          },
        },
      ],
    ]),
    asked: [
      heard('k1', 'request', { status: 503 }),
      heard('k2', 'request'),
      heard('k3', 'middle'),
      ...[1, 2, 3].map((minute) => heard(`tick-${minute}`, 'ticks', { at: (planned + minute) * MINUTE })),
    ],
    taken: [
      delivery('u', 'plan.succeeded'),
      delivery('1', 'plan.succeeded'),
      delivery('moved', 'task.succeeded'),
      delivery('baited', 'task.succeeded'),
      delivery('refused', 'task.failed'),
      delivery('plan', 'plan.succeeded'),
    ],
    notices: [],
    unanswered: [],
    firings: [
      ...[1, 2, 3].map((minute) => ({ id: `tick-${minute}`, schedule: 'ticks', planned: planned + minute, state: 'ended', detail: 'SUCCESS' })),
      { id: 'p-1', schedule: 'copies', planned: planned + 1, state: 'ended', detail: 'SUCCESS' },
      { id: 'p-2', schedule: 'copies', planned: planned + 2, state: 'skipped', detail: 'overlap' },
      { id: 'p-3', schedule: 'copies', planned: planned + 3, state: 'skipped', detail: 'missed' },
    ],
    approvals: new Map([
      ['plan', [question('question', '1', 'approved')]],
      ['denied', [question('other', '0', 'denied')]],
    ]),
    letters: new Map([
      ['kept', [7]],
      ['deleted', []],
    ]),
    auditFault: undefined,
    undrained: [],
  };
}

/** A request that the provider heard and did. */
export function heard(key: string, n: string, more: Partial<Heard> = {}): Heard {
  return { path: '/send', key, n, status: 200, at: begin, ...more };
}

export function delivery(subject: string, type: string, more: Partial<Taken> = {}): Taken {
  return {
    endpoint: 'files',
    id: `${subject} ${type}`,
    body: `${subject} ${type}`,
    genuine: true,
    signed: true,
    subject,
    type,
    timestamp: until,
    status: 204,
    capability: type.startsWith('task.') ? 'FILE_MOVE' : '',
    result: `${subject} ${type}`,
    ...more,
  };
}
