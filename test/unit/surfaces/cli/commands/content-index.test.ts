import { afterEach, describe, expect, it } from 'vitest';
import { NO_INDEX } from '../../../../../src/content-search/ngram-index/safety/transition.ts';
import { IndexReceipt, IndexReport } from '../../../../../src/contracts/index.ts';
import { type GroundOptions, type IndexGround, indexGround, KEY, keep, ROOT } from '../../../../support/content/index-service.ts';
import { createWorld } from '../world.ts';

let ground: IndexGround | undefined;
afterEach(() => ground?.[Symbol.asyncDispose]());

/** A command line over an index, with an audit log. */
async function world(options: GroundOptions = {}) {
  const made = await indexGround(options);
  ground = made;
  const { cli, audit, clock, interrupt } = await createWorld();
  const writ = (...args: string[]) => cli(['index', ...args], '', { contentIndex: async () => made.service });
  return { ground: made, audit, clock, interrupt, writ };
}

describe('writ index status', () => {
  it('shows each index on a line, and what there is to say beneath', async () => {
    const { writ } = await world();
    const { code, out, err } = await writ('status');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('c0ffee00  COMPLETE  yes    1234  4.0 KiB        4  /srv/projects\n');
    expect(out).toContain('last build  1234 files, 1.0 MiB read in 1 min 1 s\n');
  });

  it('shows how far a build is', async () => {
    const { ground, writ } = await world({ safety: { state: 'BUILDING' } });
    ground.setActivity({ kind: 'build', phase: 'TOKENIZE', done: 300, total: 1200, started_at: '2025-12-31T23:59:48.000Z' });
    expect((await writ('status')).out).toContain('now         build: TOKENIZE, 300 of 1200 files (25 %), for 12 s\n');
  });

  it('says why an index is not used: its reason, a host that does not run', async () => {
    const { ground, writ } = await world({ safety: { state: 'UNCERTAIN', reason: 'WATCHER_OVERFLOW' } });
    expect((await writ('status')).out).toContain('UNCERTAIN (WATCHER_OVERFLOW)  no ');
    ground.setRunning(false);
    expect((await writ('status')).out).toContain('host  does not run: `writ up` starts it');
  });

  it('answers the report of the contract with --json', async () => {
    const { writ } = await world();
    const { lines } = await writ('status', '--json');
    expect(IndexReport.parse(lines[0])).toMatchObject({ mode: 'on', indexes: [{ key_hash: KEY, serving: true }] });
  });

  it('says how to have an index when it is off, and exits 0', async () => {
    const { writ } = await world({ mode: 'off', empty: true });
    const { code, out } = await writ('status');
    expect(code).toBe(0);
    expect(out).toMatch(/index_mode is "off".*\[tools\.search\]\nindex_mode = "auto"/s);
    expect((await writ('status', '--json')).lines).toEqual([{ mode: 'off', indexes: [] }]);
  });

  it('says so when no directory is named', async () => {
    const { writ } = await world({ empty: true, roots: [] });
    expect((await writ('status')).out).toContain('no directory is named in index_roots');
  });
});

describe('writ index build, reconcile, check and drop', () => {
  it.each(['build', 'reconcile', 'drop'])('%s queues the task of the only index, and is written to the audit log', async (action) => {
    const { ground, audit, writ } = await world();
    expect(await writ(action)).toMatchObject({ code: 0, out: `${action} is queued (job job1)\n` });
    expect(ground.begun).toEqual([`${action} job1 asked by tester (cli)`]);
    expect(audit.map(({ action, subject, outcome }) => [action, subject, outcome])).toEqual([
      [`index.${action}`, ROOT, 'asked'],
      [`index.${action}`, ROOT, 'done'],
    ]);
  });

  it('takes a directory, also relative to the current one, and the first digits of a key', async () => {
    const { ground, writ } = await world();
    keep(ground.store, '/work/here', '1'.repeat(64), NO_INDEX);
    for (const word of [ROOT, KEY.slice(0, 12)]) expect(await writ('build', word)).toMatchObject({ code: 0 });
    // It is found, and no host runs for it.
    expect(await writ('build', 'here')).toMatchObject({ code: 3, err: expect.stringContaining('/work/here') });
  });

  it('wants a name when there is more than one index', async () => {
    const { ground, writ } = await world();
    keep(ground.store, '/srv/other', '1'.repeat(64), NO_INDEX);
    expect(await writ('build')).toMatchObject({ code: 2, err: expect.stringContaining('2 indexes') });
  });

  it('waits for its end with --wait, and answers with it', async () => {
    const { writ } = await world();
    expect(await writ('build', '--wait')).toMatchObject({ code: 0, out: 'build done in 1.5 s: sound\n' });
    const { lines } = await writ('reconcile', '--wait', '--json');
    expect(lines).toMatchObject([{ action: 'reconcile', job: 'job2', joined: false, end: { ok: true, kind: 'reconcile', job: 'job2' } }]);
  });

  it('check always waits for its verdict: 0 for a sound index, 1 for a damaged one', async () => {
    const { writ } = await world();
    expect(await writ('check')).toMatchObject({ code: 0, out: 'check done in 1.5 s: sound\n' });
    await ground?.[Symbol.asyncDispose]();
    const damaged = await world({ finding: 'block 7 of base.seg has another checksum' });
    expect(await damaged.writ('check')).toMatchObject({ code: 1, out: 'check failed in 1.5 s: block 7 of base.seg has another checksum\n' });
    expect((await damaged.writ('status')).out).toContain('last check  failed: block 7 of base.seg has another checksum');
  });

  it('stops waiting when the person asks to; the task goes on', async () => {
    const { ground } = await world();
    const { cli, interrupt } = await createWorld();
    const busy = { ...ground.service, request: async () => ({ accepted: true, receipt: { job: 'job9', joined: false } }) as const };
    const said = cli(['index', 'build', '--wait'], '', { contentIndex: async () => busy });
    interrupt.abort();
    expect(await said).toMatchObject({ code: 3, err: expect.stringContaining('you stopped waiting; build goes on') });
  });

  it.each([
    ['the index is off', { mode: 'off' } as const, 1, 'index_mode = "auto"'],
    ['no host runs', { running: false } as const, 3, '`writ up` starts one'],
    ['there is no such index', { empty: true, roots: [] } as const, 1, 'there is no index of'],
  ])('says so when %s, and leaves a refusal in the audit log', async (_, options, code, words) => {
    const { audit, writ } = await world(options);
    expect(await writ('build', ROOT)).toMatchObject({ code, err: expect.stringContaining(words) });
    expect(audit.at(-1)).toMatchObject({ action: 'index.build', outcome: 'refused' });
  });

  it('answers the receipt of the contract with --json', async () => {
    const { writ } = await world();
    const { action, ...receipt } = (await writ('drop', '--json')).lines[0] ?? {};
    expect(action).toBe('drop');
    expect(IndexReceipt.parse(receipt)).toEqual({ job: 'job1', joined: false });
  });
});
