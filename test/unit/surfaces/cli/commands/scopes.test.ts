import { describe, expect, it } from 'vitest';
import type { SearchCapability } from '../../../../../src/contracts/index.ts';
import { failure, type Outcome, success } from '../../../../../src/core/outcome.ts';
import type { ScopeCatalog, ScopeState } from '../../../../../src/core/ports/search-scopes.ts';
import { excerpt } from '../../../../../src/surfaces/cli/text/excerpt.ts';
import { createWorld, type World } from '../world.ts';

const SCOPES: Readonly<Record<string, SearchCapability>> = { workspace: 'SEARCH_FILES', inbox: 'SEARCH_EMAILS' };

function scopesOf(states: readonly ScopeState[] = []): ScopeCatalog {
  return { capabilityOf: (id) => SCOPES[id], look: async () => states };
}

function found(results: readonly { id: string; match_field: string; match_snippet: string }[], changes: object = {}): Outcome {
  return success({
    task_id: 'find-random',
    capability_id: 'SEARCH_FILES',
    target_scope: 'workspace',
    results: results.map((hit) => ({ ...hit })),
    count: results.length,
    truncated: false,
    ...changes,
  });
}

/** A world whose worker answers every search at once. */
async function searching(outcome: Outcome): Promise<World> {
  const world = await createWorld();
  world.onPush = (taskId) => void world.work(taskId, outcome);
  return world;
}

const HIT = { id: 'letters/report.txt', match_field: 'filename', match_snippet: 'report.txt' };

describe('writ find', () => {
  it('pushes one signed search and shows its verified answer', async () => {
    const world = await searching(found([HIT, { ...HIT, id: 'b\u001b[2J/report 2' }], { count: 7, truncated: true }));
    const said = await world.cli(['find', 'workspace', 'report', '--max', '2'], '', { scopes: scopesOf() });
    expect(said).toMatchObject({ code: 0, err: '' });
    expect(said.out.split('\n')).toEqual([
      expect.stringMatching(/^id +field +match$/),
      expect.stringMatching(/^letters\/report\.txt +filename +report\.txt$/),
      expect.stringMatching(/^b\\u001b\[2J\/report 2 +filename/),
      '7 matches, 2 shown',
      '',
    ]);
    expect(world.asked).toMatchObject({ issue: 1 });
    expect((await world.tasks.enqueue.jobState('find-random'))?.data).toMatchObject({
      manifest: { capability_id: 'SEARCH_FILES', inputs: { query: 'report', target_scope: 'workspace', max_results: 2 }, constraints: {} },
    });
  });

  it('prints the output document with --json, and always names a number of results', async () => {
    const world = await searching(found([HIT]));
    const said = await world.cli(['find', 'workspace', 'report', '--json'], '', { scopes: scopesOf() });
    expect(said).toMatchObject({ code: 0, lines: [{ task_id: 'find-random', target_scope: 'workspace', results: [HIT], count: 1, truncated: false }] });
    expect((await world.tasks.enqueue.jobState('find-random'))?.data).toMatchObject({ manifest: { inputs: { max_results: 20 } } });
  });

  it('exits 0 when nothing matches', async () => {
    const world = await searching(found([]));
    expect(await world.cli(['find', 'workspace', 'report'], '', { scopes: scopesOf() })).toMatchObject({ code: 0, out: '0 matches, 0 shown\n' });
  });

  it('exits 1 with the code of a search that failed', async () => {
    const world = await searching(failure('SCOPE_UNAVAILABLE', 'the directory does not exist'));
    expect(await world.cli(['find', 'workspace', 'report'], '', { scopes: scopesOf() })).toMatchObject({
      code: 1,
      out: '',
      err: 'writ: the directory does not exist (SCOPE_UNAVAILABLE)\n',
    });
    const again = await searching(failure('SCOPE_UNAVAILABLE', 'the directory does not exist'));
    expect(await again.cli(['find', 'workspace', 'report', '--json'], '', { scopes: scopesOf() })).toMatchObject({
      code: 1,
      lines: [{ error: { code: 'SCOPE_UNAVAILABLE', message: 'the directory does not exist' } }],
    });
  });

  it('shows nothing of an answer that no executor of this data directory signed', async () => {
    const world = await searching(found([HIT]));
    const signatures = { peek: () => undefined, readLease: never, revocationOf: never, verifyResult: async () => false };
    const said = await world.cli(['find', 'workspace', 'report'], '', { scopes: scopesOf(), signatures: async () => signatures });
    expect(said).toMatchObject({ code: 1, out: '', err: expect.stringContaining('INVALID_RESULT') });
  });

  it('refuses an unknown scope and a number out of range before anything is signed', async () => {
    const world = await createWorld();
    expect(await world.cli(['find', 'elsewhere', 'report'], '', { scopes: scopesOf() })).toMatchObject({
      code: 2,
      err: expect.stringContaining('writ scopes'),
    });
    for (const max of ['0', '1001', '2.5', 'many']) {
      expect(await world.cli(['find', 'workspace', 'report', '--max', max], '', { scopes: scopesOf() })).toMatchObject({ code: 2 });
    }
    expect(world.asked.issue).toBe(0);
  });

  it('asks for the cancel of its search when it is interrupted, and says how that ended', async () => {
    const world = await createWorld();
    world.onPush = () => world.interrupt.abort();
    // The worker sees the request and answers.
    world.tasks.ledger.cancel = ((cancel) => async (taskId: string, at: number) => {
      const answer = await cancel(taskId, at);
      await world.work(taskId, failure('EXECUTION_FAILED', 'cancelled'));
      return answer;
    })(world.tasks.ledger.cancel);
    const said = await world.cli(['find', 'workspace', 'report'], '', { scopes: scopesOf() });
    expect(said).toMatchObject({ code: 1, out: '', err: 'writ: cancelled (EXECUTION_FAILED)\n' });
    expect(world.audit.map(({ action, subject, outcome }) => [action, subject, outcome])).toEqual([
      ['task.cancel', 'find-random', 'asked'],
      ['task.cancel', 'find-random', 'done'],
    ]);
  });

  it('shows an answer that comes before the cancel', async () => {
    const world = await searching(found([HIT]));
    world.interrupt.abort();
    expect(await world.cli(['find', 'workspace', 'report'], '', { scopes: scopesOf() })).toMatchObject({ code: 0, out: expect.stringContaining('1 match') });
  });

  it('exits 3 when nobody answers in time', async () => {
    const world = await createWorld();
    const said = await world.cli(['find', 'workspace', 'report', '--timeout', '0s'], '', { scopes: scopesOf() });
    expect(said).toMatchObject({ code: 3, err: expect.stringContaining('is a worker running?') });
  });
});

describe('writ scopes', () => {
  const states: ScopeState[] = [
    { id: 'workspace', kind: 'files', capability: 'SEARCH_FILES', source: 'directory', place: '/srv/work', problem: undefined },
    { id: 'inbox', kind: 'emails', capability: 'SEARCH_EMAILS', source: 'imap', place: 'INBOX of me on mail.example:993', problem: 'no answer' },
  ];

  it('lists every scope with what searches it, and exits 0 also when one cannot be opened', async () => {
    const world = await createWorld();
    const said = await world.cli(['scopes'], '', { scopes: scopesOf(states) });
    expect(said.code).toBe(0);
    expect(said.out.split('\n')).toEqual([
      expect.stringMatching(/^scope +searched by +source +place +available$/),
      expect.stringMatching(/^workspace +SEARCH_FILES +directory +\/srv\/work +yes$/),
      expect.stringMatching(/^inbox +SEARCH_EMAILS +imap +INBOX of me on mail\.example:993 +NO: no answer$/),
      '',
    ]);
    expect((await world.cli(['scopes', '--json'], '', { scopes: scopesOf(states) })).lines).toEqual([
      {
        scopes: [
          { id: 'workspace', kind: 'files', capability_id: 'SEARCH_FILES', source: 'directory', place: '/srv/work', available: true },
          expect.objectContaining({ id: 'inbox', available: false, problem: 'no answer' }),
        ],
      },
    ]);
  });

  it('says so when there are none', async () => {
    const world = await createWorld();
    expect((await world.cli(['scopes'], '', { scopes: scopesOf() })).out).toContain('every search is refused');
  });
});

describe('an excerpt', () => {
  it('is the whole snippet when it fits, else shows the match', () => {
    expect(excerpt('short report', 'report')).toBe('short report');
    const long = `${'a'.repeat(100)}report${'b'.repeat(94)}`;
    expect(excerpt(long, 'report')).toBe(`…${'a'.repeat(20)}report${'b'.repeat(46)}…`);
    expect(excerpt(`report${'b'.repeat(100)}`, ' report ')).toBe(`report${'b'.repeat(66)}…`);
    expect(excerpt(`${'\u{1F4C4}'.repeat(100)}end`, 'end')).toBe(`…${'\u{1F4C4}'.repeat(69)}end`);
  });
});

function never(): Promise<never> {
  throw new Error('nobody asks for this');
}
