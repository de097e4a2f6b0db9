import { describe, expect, it } from 'vitest';
import { failure } from '../../../../../src/core/outcome.ts';
import { createWorld } from '../world.ts';

const ndjson = (...values: unknown[]): string => values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join('\n');

describe('writ push', () => {
  it('goes on after bad lines, tells each with line, code and field, and exits 1', async () => {
    const world = await createWorld();
    const { code, lines } = await world.cli(
      ['push', '-', '--sign', '--json'],
      ndjson(world.manifest('a'), '{"task_id":', { ...world.manifest('b'), task_id: '' }, world.manifest('c')),
    );
    expect(code).toBe(1);
    expect(lines.filter(({ receipt }) => receipt === 'rejected')).toMatchObject([
      { line: 2, code: 'INVALID_MANIFEST' },
      { line: 3, code: 'INVALID_MANIFEST', field: 'task_id' },
    ]);
    expect(lines.at(-1)).toMatchObject({ summary: { accepted: 2, rejected: 2 } });
  });

  it('exits 2 when nothing is usable, and says to add --sign when only the leases are missing', async () => {
    const world = await createWorld();
    const unsigned = await world.cli(['push', '-'], ndjson(world.manifest('a')));
    expect(unsigned.code).toBe(2);
    expect(unsigned.err).toContain('line 1: a: lease is missing: add --sign to have the kernel issue one (INVALID_LEASE)');
    expect((await world.cli(['push', '-', '--sign'], 'not json at all')).code).toBe(2);
  });

  it.each(['', '\n\n', '[]', ' [ ] '])('exits 2 for the empty input %j: whoever pushes nothing has lost something', async (input) => {
    const world = await createWorld();
    const { code, out } = await world.cli(['push', '-'], input);
    expect(code).toBe(2);
    expect(out).toContain('nothing to push');
  });

  it('takes the good items of an array, and answers each bad one with its own code', async () => {
    const world = await createWorld();
    const [a, b] = [world.manifest('a'), world.manifest('b')].map((one) => JSON.stringify(one));
    const items = [a, '7', '"a, b]"', 'null', '{}', '["x"]', '{"manifest": tru}', '{"task_id":"..","capability_id":"X","inputs":{},"constraints":{}}', b];
    const { code, lines } = await world.cli(['push', '-', '--sign', '--json'], `[${items.join(',\n')}]`);
    expect(code).toBe(1);
    const told = lines.slice(0, -1) as { line: number; receipt: string; code?: string }[];
    expect(told.map(({ line, receipt, code: why }) => [line, why ?? receipt]).sort(([x], [y]) => Number(x) - Number(y))).toEqual([
      [1, 'accepted'],
      ...[2, 3, 4, 5, 6, 7, 8].map((line) => [line, 'INVALID_MANIFEST']),
      [9, 'accepted'],
    ]);
    expect(lines.at(-1)).toMatchObject({ summary: { accepted: 2, rejected: 7 } });
  });

  it('counts what is in flight, finished before and taken by another manifest', async () => {
    const world = await createWorld();
    await world.push(world.manifest('flying'));
    await world.push(world.manifest('done'));
    await world.work('done');
    const other = world.manifest('done', { inputs: { source_path: '/b/other' } });
    const { code, lines, err } = await world.cli(
      ['push', '-', '--sign', '--json'],
      ndjson(world.manifest('flying'), world.manifest('done'), other, world.manifest('new')),
    );
    expect(code).toBe(1);
    expect(err).toBe('');
    expect(lines.at(-1)).toMatchObject({ summary: { accepted: 1, in_flight: 1, replayed: 1, conflicts: 1 } });
  });

  it('waits for every outcome with --wait and exits 1 when one of them is a FAILURE', async () => {
    const world = await createWorld();
    world.onPush = (taskId) => void world.work(taskId, taskId === 'bad' ? failure('EXECUTION_FAILED', 'the source does not exist') : undefined);
    const { code, lines } = await world.cli(['push', '-', '--sign', '--wait', '--json'], ndjson(world.manifest('good'), world.manifest('bad')));
    expect(code).toBe(1);
    expect(lines).toContainEqual(expect.objectContaining({ task_id: 'good', state: 'success' }));
    expect(lines).toContainEqual(expect.objectContaining({ task_id: 'bad', state: 'failure', result: expect.objectContaining({ status: 'FAILURE' }) }));
    expect(lines.at(-1)).toMatchObject({ summary: { accepted: 2, succeeded: 1, failed: 1, unanswered: 0 } });
  });

  it('does not take an older failure for the outcome of a retried task', async () => {
    const world = await createWorld();
    await world.push(world.manifest('a'));
    await world.work('a', failure('EXECUTION_FAILED', 'no room'));
    world.onPush = (taskId) => void setImmediate(() => void world.work(taskId));
    const { code, lines } = await world.cli(['push', '-', '--sign', '--wait', '--json'], ndjson(world.manifest('a')));
    expect(lines.at(-1)).toMatchObject({ summary: { retried: 1, succeeded: 1, failed: 0 } });
    expect(code).toBe(0);
  });

  it('gives up with exit 3 when nothing happens for the timeout', async () => {
    const world = await createWorld();
    const { code, err, out } = await world.cli(['push', '-', '--sign', '--wait', '--timeout', '0s'], ndjson(world.manifest('a')));
    expect(code).toBe(3);
    expect(out).toContain('unanswered 1');
    expect(err).toContain('is a worker running?');
  });

  it('tells wrong options before it opens anything', async () => {
    const world = await createWorld();
    for (const args of [
      ['--ttl', 'soon'],
      ['--ttl', '0s'],
      ['--attempts', '0'],
      ['--attempts', '26'],
      ['--not-before', 'tomorrow'],
      ['--not-before', '367d'],
      ['--priority', '-1'],
      ['--priority', '2097153'],
      ['--timeout', '-1s'],
    ]) {
      expect((await world.cli(['push', '-', ...args], '{}')).code).toBe(2);
    }
    expect((await world.cli(['push', 'nowhere'])).err).toBe('writ: there is no file nowhere (INVALID_ARGUMENT)\n');
  });

  it('only says what each task would meet with --dry-run', async () => {
    const world = await createWorld();
    await world.push(world.manifest('flying'));
    const confirmed = world.manifest('asks', { constraints: { hrc_required: true } });
    const input = ndjson(world.manifest('new'), world.manifest('flying'), confirmed, { ...world.manifest('bad'), capability_id: 'FILE_MOV' });
    const { code, lines } = await world.cli(['push', '-', '--sign', '--dry-run', '--json'], input);
    expect(code).toBe(1);
    expect(lines).toMatchObject([
      { line: 1, task_id: 'new', would: 'run', authority: 'grantable', obstacles: [] },
      { line: 2, task_id: 'flying', would: 'join' },
      { line: 3, task_id: 'asks', would: 'refuse', authority: 'none', obstacles: [{ code: 'HRC_REQUIRED' }] },
      { line: 4, code: 'INVALID_MANIFEST', field: 'capability_id', would: 'refuse' },
      { summary: { dry_run: true, tasks: 3, refused: 2 } },
    ]);
    expect((await world.cli(['push', '-', '--sign', '--dry-run'], ndjson(world.manifest('new')))).out).toContain('new would run');
    expect((await world.cli(['result', 'new'])).code).not.toBe(0);
    expect(world.asked.issue).toBe(0);
  });

  it('stops with a summary when it is interrupted', async () => {
    const world = await createWorld();
    world.onPush = () => world.interrupt.abort();
    const { code, lines } = await world.cli(['push', '-', '--sign', '--wait', '--json'], ndjson(world.manifest('a')));
    expect(code).toBe(1);
    expect(lines.at(-1)).toMatchObject({ summary: { accepted: 1, unanswered: 1, interrupted: true } });
  });

  it('pushes the others one by one when one job of a chunk is too large for the queue', async () => {
    const world = await createWorld();
    const { lines } = await world.cli(
      ['push', '-', '--sign', '--json'],
      ndjson(world.manifest('a'), world.manifest('big', { inputs: { source_path: 'x'.repeat(201_000) } }), world.manifest('c')),
    );
    expect(lines.at(-1)).toMatchObject({ summary: { accepted: 1, in_flight: 1, rejected: 1 } });
  });
});
