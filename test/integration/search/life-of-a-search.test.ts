import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TaskManifest } from '../../../src/contracts/index.ts';
import { PATIENCE_MS, patient } from '../../support/patience.ts';
import { type RawProducer, startRawProducer } from '../../support/raw-producer.ts';
import { manifestOf, type Rig, startRig } from '../../support/rig.ts';

/** Longer than a lock lives (1.5 s in the rig), so that a search over the limit needs its lock renewed, and than a process needs to start. */
const MAX_RUN_S = Math.ceil(patient(5000) / 1000);

let rig: Rig;
let root: string;
let raw: RawProducer;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'writ-search-'));
  mkdirSync(join(root, 'docs', 'deep'), { recursive: true });
  for (const name of ['contract-b.txt', 'contract-a.txt', 'deep/a contract', 'other.txt']) writeFileSync(join(root, 'docs', name), 'contract');
  symlinkSync('/etc', join(root, 'docs', 'contract-link'));
  const far = join(root, 'long', ...['a', 'b', 'c', 'd'].map((letter) => letter.repeat(250)));
  mkdirSync(far, { recursive: true });
  for (let n = 0; n < 1000; n += 1) writeFileSync(join(far, `contract-${String(n).padStart(4, '0')}-${'x'.repeat(200)}`), '');
  writeFileSync(join(root, 'people.csv'), 'id,name,note\n2,Ada,"likes ""proofs"""\n10,Zoe,e\n1,Émile,none\n');
  const message = (n: number, subject: string): string =>
    `Received: from a by b; Thu, 1 Jan 2026 00:00:0${n} +0000\r\nMessage-ID: <${n}@x>\r\nFrom: Ada <ada@x>\r\nTo: Bob <bob@x>\r\nSubject: ${subject}\r\n\r\nHello ${n}\r\n`;
  mkdirSync(join(root, 'eml'));
  writeFileSync(join(root, 'eml', '1.eml'), message(1, 'The contract'));
  writeFileSync(join(root, 'eml', '2.eml'), message(2, 'Lunch'));
  rig = await startRig({
    config: {
      worker: { search_concurrency: 1 },
      search: {
        max_run_s: MAX_RUN_S,
        scopes: {
          docs: { kind: 'files', path: join(root, 'docs') },
          moving: { kind: 'files', path: join(root, 'moving') },
          long: { kind: 'files', path: join(root, 'long') },
          mail: { kind: 'emails', store: 'eml', path: join(root, 'eml') },
          people: { kind: 'datasets', format: 'csv', path: join(root, 'people.csv'), primary_key: 'id', numeric: ['id'] },
        },
      },
    },
  });
  await rig.startWorker({ queues: ['search'] });
  raw = await startRawProducer(rig, 'search');
});
afterAll(async () => {
  await raw.close();
  await rig.stop();
  rmSync(root, { recursive: true, force: true });
});

function search(capability: string, inputs: Record<string, unknown> = {}): TaskManifest {
  return manifestOf(capability, '', undefined, { inputs: { query: 'contract', target_scope: 'docs', max_results: 2, ...inputs } });
}

/** How a job ended that a raw producer added. */
async function addRaw(data: unknown): Promise<string> {
  const end = await raw.add(data);
  return 'failed' in end ? end.failed : 'completed';
}

/** The processes that this one has started and that still run. */
function children(): number[] {
  return readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'latin1').trim().split(' ').filter(Boolean).map(Number);
}

function searchProcess(): number {
  const pid = children().find((child) => readFileSync(`/proc/${child}/cmdline`, 'latin1').includes('search-process'));
  if (pid === undefined) throw new Error('no search process runs');
  return pid;
}

describe('a search, from push to signed result', () => {
  it('finds files by name, in order, under a lease, with a signed result', { tags: ['SE-01', 'SE-14', 'SE-37', 'SE-41'] }, async () => {
    const manifest = search('SEARCH_FILES');
    await rig.push(manifest);
    const result = await rig.answer(manifest.task_id);
    expect(result).toMatchObject({
      status: 'SUCCESS',
      output: {
        task_id: manifest.task_id,
        capability_id: 'SEARCH_FILES',
        target_scope: 'docs',
        results: [
          { id: 'contract-a.txt', match_field: 'filename', match_snippet: 'contract-a.txt' },
          { id: 'contract-b.txt', match_field: 'filename', match_snippet: 'contract-b.txt' },
        ],
        count: 3,
        truncated: true,
      },
    });
    expect(await rig.verify(manifest, JSON.stringify(result))).toBe(true);
  });

  it('whose results have no room in an answer ends at once, with what to ask for, and finds fewer of them', { tags: ['SE-69'] }, async () => {
    const manifest = search('SEARCH_FILES', { target_scope: 'long', max_results: 1000 });
    const first = await addRaw({ v: 1, manifest, lease: await rig.lease(manifest) });
    expect(first).toMatch(/^RESOURCE_EXHAUSTED: the 1000 results have [0-9]{7} bytes, and an answer has room for 1047552; ask for fewer \(max_results\)$/);
    expect(await rig.ledger.row(manifest.task_id)).toMatchObject({ state: 'failure', epoch: 1, errorCode: 'RESOURCE_EXHAUSTED' });
    const fewer = search('SEARCH_FILES', { target_scope: 'long', max_results: 500 });
    await rig.push(fewer);
    expect((await rig.answer(fewer.task_id)).output).toMatchObject({ count: 1000, truncated: true });
  });

  it('finds mail', { tags: ['SE-15', 'SE-42'] }, async () => {
    const manifest = search('SEARCH_EMAILS', { target_scope: 'mail' });
    await rig.push(manifest);
    expect((await rig.answer(manifest.task_id)).output).toMatchObject({ count: 1, results: [{ match_field: 'subject', match_snippet: 'The contract' }] });
  });

  it('finds records of a data set, by numeric key, after all of them were read', { tags: ['SE-16', 'SE-46', 'SE-48', 'SE-49'] }, async () => {
    const manifest = search('SEARCH_DATASETS', { target_scope: 'people', query: 'e' });
    await rig.push(manifest);
    // The first of the order stands last in the file, behind as many as were asked for.
    expect((await rig.answer(manifest.task_id)).output).toMatchObject({
      count: 3,
      truncated: true,
      results: [
        { id: '1', match_field: 'name', match_snippet: 'Émile' },
        { id: '2', match_field: 'note', match_snippet: 'likes "proofs"' },
      ],
    });
  });

  it('changes nothing in what it searches', { tags: ['SE-03'] }, async () => {
    const before = fingerprint(root);
    for (const [capability, target_scope] of Object.entries({ SEARCH_FILES: 'docs', SEARCH_EMAILS: 'mail', SEARCH_DATASETS: 'people' })) {
      const manifest = search(capability, { target_scope });
      await rig.push(manifest);
      expect((await rig.answer(manifest.task_id)).status).toBe('SUCCESS');
    }
    expect(fingerprint(root)).toBe(before);
  });

  it('answers a finished task again with the same bytes, although the source has changed; a new task sees the change', {
    tags: ['SE-60', 'SE-61', 'SE-10'],
  }, async () => {
    mkdirSync(join(root, 'moving'));
    writeFileSync(join(root, 'moving', 'first'), '');
    const manifest = search('SEARCH_FILES', { target_scope: 'moving', query: 'f' });
    await rig.push(manifest);
    const first = await rig.answer(manifest.task_id);
    renameSync(join(root, 'moving', 'first'), join(root, 'moving', 'fresh'));
    expect(await addRaw({ v: 1, manifest, lease: await rig.lease(manifest) })).toBe('completed');
    expect(await rig.answer(manifest.task_id)).toEqual(first);
    const again = search('SEARCH_FILES', { target_scope: 'moving', query: 'f' });
    await rig.push(again);
    expect((await rig.answer(again.task_id)).output).toMatchObject({ results: [{ id: 'fresh' }] });
    rmSync(join(root, 'moving'), { recursive: true });
  });

  it('sees in mail and in records what has changed since the last search', { tags: ['SE-10'] }, async () => {
    const counts = async (): Promise<unknown[]> => {
      const manifests = [
        search('SEARCH_EMAILS', { target_scope: 'mail', query: 'fresh' }),
        search('SEARCH_DATASETS', { target_scope: 'people', query: 'fresh' }),
      ];
      for (const manifest of manifests) await rig.push(manifest);
      const answers = await Promise.all(manifests.map(({ task_id }) => rig.answer(task_id)));
      return answers.map(({ output }) => output?.['count']);
    };
    expect(await counts()).toEqual([0, 0]);
    const [mail, people] = [join(root, 'eml', '2.eml'), join(root, 'people.csv')];
    const before = [mail, people].map((file) => readFileSync(file));
    writeFileSync(mail, String(before[0]).replace('Lunch', 'fresh'));
    writeFileSync(people, String(before[1]).replace('none', 'fresh'));
    expect(await counts()).toEqual([1, 1]);
    for (const [at, file] of [mail, people].entries()) writeFileSync(file, before[at] ?? '');
  });

  it('refuses a forged, an expired and a missing lease before it looks at anything', { tags: ['SE-62', 'SE-63'] }, async () => {
    const manifest = search('SEARCH_FILES');
    const lease = await rig.lease(manifest);
    expect(await addRaw({ v: 1, manifest: { ...manifest, inputs: { ...manifest.inputs, query: 'other' } }, lease })).toMatch(/^INVALID_LEASE/);
    const now = Math.floor(Date.now() / 1000);
    expect(await addRaw({ v: 1, manifest, lease: await rig.lease(manifest, { iat: now - 100, exp: now - 10 }) })).toMatch(/^LEASE_EXPIRED/);
    expect(await addRaw({ v: 1, manifest })).toMatch(/lease/);
  });

  it('refuses a capability that is not a search, also under a genuine lease', { tags: ['SE-17', 'SE-64'] }, async () => {
    const manifest = manifestOf('FILE_MOVE', '/a', '/b');
    expect(await addRaw({ v: 1, manifest, lease: await rig.lease(manifest, { aud: 'search' }) })).toMatch(/^UNSUPPORTED_CAPABILITY/);
  });

  it('answers SCOPE_UNAVAILABLE while a scope is missing, and the retry that the producer asked for finds it', { tags: ['SE-67'] }, async () => {
    const manifest = search('SEARCH_FILES', { target_scope: 'moving', query: 'f' });
    await rig.push(manifest, { attempts: 5 });
    expect((await rig.answer(manifest.task_id)).error).toMatchObject({ error_code: 'SCOPE_UNAVAILABLE' });
    mkdirSync(join(root, 'moving'));
    expect((await rig.answer(manifest.task_id, ({ status }) => status === 'SUCCESS', PATIENCE_MS)).output).toMatchObject({ count: 0 });
    rmSync(join(root, 'moving'), { recursive: true });
  });

  it('ends a search that takes too long, keeps its lock meanwhile, and goes on with a new process', { tags: ['SE-69'] }, async () => {
    const stuck = searchProcess();
    process.kill(stuck, 'SIGSTOP');
    const manifest = search('SEARCH_FILES');
    await rig.push(manifest);
    const result = await rig.answer(manifest.task_id, () => true, PATIENCE_MS);
    expect(result.error).toEqual({ error_code: 'RESOURCE_EXHAUSTED', message: 'the task ran longer than its wall-clock limit' });
    expect((await raw.queue.getJob(`t_${manifest.task_id}`))?.attemptsStarted).toBe(1);
    const next = search('SEARCH_FILES');
    await rig.push(next);
    expect(await rig.answer(next.task_id)).toMatchObject({ status: 'SUCCESS', error: null });
    expect(searchProcess()).not.toBe(stuck);
  });

  it('gives its process nothing of the environment but where SQLite may sort', { tags: ['SE-11'] }, () => {
    const names = readFileSync(`/proc/${searchProcess()}/environ`, 'latin1').split('\0').filter(Boolean);
    const ours = names.filter((name) => !name.startsWith('NODE_CHANNEL_'));
    expect(ours.toSorted()).toEqual(['LC_ALL=C', `SQLITE_TMPDIR=${rig.places.searchSpill}`, 'TZ=UTC']);
  });

  it('survives a search process that is killed while it waits', async () => {
    const idle = searchProcess();
    process.kill(idle, 'SIGKILL');
    await expect.poll(() => children().includes(idle)).toBe(false);
    const manifest = search('SEARCH_FILES');
    await rig.push(manifest);
    expect((await rig.answer(manifest.task_id)).status).toBe('SUCCESS');
  });
});

/** Names, contents and times of a tree. */
function fingerprint(directory: string): string {
  const hash = createHash('sha256');
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    hash.update(`${join(entry.parentPath, entry.name)}\0`);
    if (entry.isFile()) hash.update(readFileSync(join(entry.parentPath, entry.name)));
  }
  return hash.digest('hex');
}
