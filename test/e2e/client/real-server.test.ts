import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../../config/package.ts';
import { type Site, startSite } from '../../integration/surfaces/http/routes-site.ts';
import { startBrowser } from '../../support/browser.ts';
import { PATIENCE_MS, patient } from '../../support/patience.ts';
import { type Consumer, installClient } from './package.ts';

/** `writ-client` as npm installs it, alone in a project, against the real server, kernel, worker and Redis. */
let consumer: Consumer;
let site: Site;
beforeAll(async () => {
  [consumer, site] = await Promise.all([installClient(), startSite({ searchable: true })]);
  await site.rig.startWorker();
  consumer.write('key', `${site.secret('operator')}\n`);
}, patient(180_000));
afterAll(async () => {
  consumer?.[Symbol.dispose]();
  await site?.[Symbol.asyncDispose]();
});

const keyFile = (): string => path.join(consumer.directory, 'key');
const folder = (name: string): string => {
  const directory = path.join(site.rig.base, name);
  mkdirSync(directory);
  writeFileSync(path.join(directory, 'a.txt'), 'hello');
  return directory;
};
/** Runs a module with `client` and `order(taskId, capability, inputs)`; its last line of output, read as JSON. */
async function script(body: string, env: Readonly<Record<string, string>> = {}): Promise<unknown> {
  const head = `import { readFileSync } from 'node:fs';
import { WritApiError, WritClient, WritConnectionError } from 'writ-client';
const client = new WritClient({ baseUrl: process.env.WRIT_URL, key: readFileSync('key', 'utf8').trim() });
const folder = process.env.FOLDER;
const order = (task_id, capability_id, from, to) => ({ task_id, capability_id,
  inputs: { source_path: folder + '/' + from, ...(to && { destination_path: folder + '/' + to }) },
  constraints: capability_id === 'FILE_DELETE' ? { reversible: true } : {} });
const leased = async (manifest) => ({ manifest, lease: (await client.leases.issue(manifest)).lease });
const answer = (value) => console.log(JSON.stringify(value));
`;
  consumer.write('script.mjs', head + body);
  const { code, out, err } = await consumer.node('script.mjs', [], { WRIT_URL: site.url, ...env });
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out.trimEnd().split('\n').at(-1) ?? '');
}

describe('the packed client and the real server', () => {
  it('run every block of docs/client.md as one program', async () => {
    const document = readFileSync(path.join(packageRoot(), 'docs/client.md'), 'utf8');
    const blocks = [...document.matchAll(/^```(\w*)\n(.*?)^```$/gms)];
    expect(blocks.map(([, language]) => language)).toEqual(blocks.map(() => 'js'));
    consumer.write('document.mjs', blocks.map(([, , code]) => code).join('\n'));
    const FOLDER = folder('document');
    const { code, out, err } = await consumer.node('document.mjs', [], { WRIT_URL: site.url, WRIT_KEY_FILE: keyFile(), FOLDER, SCOPE: 'base' });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const lines = out.trimEnd().split('\n');
    const plain = lines.filter((line) => !/^\d+ \S+ \w+$/.test(line));
    expect(plain.slice(0, 7)).toEqual(['success', '5', 'success', 'found 3 3', 'plan success 2 2', 'signed by an executor: true', 'undo success']);
    expect(lines.at(-1)).toMatch(/^403 INVALID_LEASE lease /);
    expect(lines.some((line) => /^\d+ bulk-3 success$/.test(line))).toBe(true);
    expect(['1', '2', '3'].map((name) => existsSync(path.join(FOLDER, `copy-${name}.txt`)))).toEqual([true, true, true]);
    expect(existsSync(path.join(FOLDER, 'moved.txt'))).toBe(false);
  });

  it('copy a file with the example, and answer the same to a second run', async () => {
    const directory = folder('example');
    consumer.write('copy-file.mjs', readFileSync(path.join(packageRoot(), 'examples/client/copy-file.mjs'), 'utf8').replace("'writ/client'", "'writ-client'"));
    const args = [site.url, keyFile(), path.join(directory, 'a.txt'), path.join(directory, 'b.txt'), 'example-1'];
    const first = await consumer.node('copy-file.mjs', args);
    expect(first).toMatchObject({ code: 0, err: '' });
    expect(readFileSync(path.join(directory, 'b.txt'), 'utf8')).toBe('hello');
    expect(await consumer.node('copy-file.mjs', args)).toEqual(first);
    const failed = await consumer.node('copy-file.mjs', [...args.slice(0, 3), args[3] ?? '', 'example-2']);
    expect(failed).toMatchObject({ code: 1, err: '' });
    expect(JSON.parse(failed.out)).toMatchObject({ status: 'FAILURE', error: { error_code: 'EXECUTION_FAILED' } });
  });

  it('push many with the example, in one request each for hundreds, and say which were refused', async () => {
    const directory = folder('pushed');
    consumer.write('push-many.mjs', readFileSync(path.join(packageRoot(), 'examples/client/push-many.mjs'), 'utf8').replace("'writ/client'", "'writ-client'"));
    const copy = (n: number, from: string) => ({
      task_id: `pushed-${n}`,
      capability_id: 'FILE_COPY',
      inputs: { source_path: path.join(directory, from), destination_path: path.join(directory, `${n}.txt`) },
      constraints: {},
    });
    const orders = [copy(1, 'a.txt'), { ...copy(2, 'a.txt'), capability_id: 'FILE_BURN' }, copy(3, 'none.txt'), copy(4, 'a.txt')];
    consumer.write('orders.ndjson', orders.map((order) => JSON.stringify(order)).join('\n'));
    const { code, out, err } = await consumer.node('push-many.mjs', [site.url, keyFile(), 'orders.ndjson']);
    expect({ code, err }).toEqual({ code: 1, err: '' });
    expect(
      out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toMatchObject([
      { task_id: 'pushed-1', state: 'success' },
      { task_id: 'pushed-2', state: 'rejected', code: 'INVALID_MANIFEST' },
      { task_id: 'pushed-3', state: 'failure', error: { error_code: 'EXECUTION_FAILED' } },
      { task_id: 'pushed-4', state: 'success' },
    ]);
    expect(existsSync(path.join(directory, '4.txt'))).toBe(true);
  });

  it('retry a failure after its cause is gone, one and by filter', async () => {
    const FOLDER = folder('retry');
    const failed = await script(
      `const states = [];
       for (const n of [1, 2]) {
         const { manifest, lease } = await leased(order('retry-' + n, 'FILE_MOVE', 'late-' + n, 'moved-' + n));
         states.push((await client.tasks.submit(manifest, { lease, wait: 20 })).task.state);
       }
       answer(states);`,
      { FOLDER },
    );
    expect(failed).toEqual(['failure', 'failure']);
    for (const n of [1, 2]) writeFileSync(path.join(FOLDER, `late-${n}`), 'x');
    const answer = await script(
      `const one = await client.tasks.retry('retry-1', { wait: 20 });
       const lines = [];
       for (let round = 0; round < 50 && lines.length === 0; round += 1)
         for await (const line of client.tasks.retryMany({ state: 'failure', path: folder })) if (line.task_id === 'retry-2') lines.push(line);
       answer([one.task.state, lines, (await client.tasks.result('retry-2', { timeoutMs: ${PATIENCE_MS} })).state]);`,
      { FOLDER },
    );
    expect(answer).toEqual(['success', [{ task_id: 'retry-2', outcome: 'retried' }], 'success']);
  });

  it('push over several requests with receipts in order, twice, with one effect each', async () => {
    const FOLDER = folder('many');
    // What comes after a pause is another request, long before the first is full.
    const answer = await script(
      `const tasks = [];
       for (let n = 0; n < 60; n += 1) tasks.push({ manifest: order('many-' + n, 'FILE_COPY', 'a.txt', 'x-' + n) });
       const runs = [];
       for (const _ of [1, 2]) {
         let goOn;
         const halfIsTold = new Promise((resolve) => (goOn = resolve));
         const source = (async function* () {
           yield* tasks.slice(0, 30);
           await halfIsTold;
           yield* tasks.slice(30);
         })();
         const pushed = client.tasks.submitMany(source, { sign: true });
         let step = await pushed.next();
         let inOrder = true;
         for (let line = 1; !step.done; line += 1) {
           inOrder &&= step.value.line === line && step.value.task_id === 'many-' + (line - 1);
           if (line === 30) goOn();
           step = await pushed.next();
         }
         runs.push([inOrder, step.value]);
         for (const { manifest } of tasks) await client.tasks.result(manifest.task_id, { timeoutMs: ${PATIENCE_MS} });
       }
       answer(runs);`,
      { FOLDER },
    );
    const none = { accepted: 0, in_flight: 0, retried: 0, finished: 0, rejected: 0 };
    expect(answer).toEqual([
      [true, { ...none, lines: 60, accepted: 60 }],
      [true, { ...none, lines: 60, finished: 60 }],
    ]);
    expect(readdirSync(FOLDER).filter((name) => name.startsWith('x-'))).toHaveLength(60);
  });

  it('follow the events of tasks, and tell refusals with their code', async () => {
    const answer = await script(
      `const controller = new AbortController();
       const seen = [];
       const following = (async () => {
         for await (const event of client.events({ signal: controller.signal })) {
           if (event.task_id !== 'event-1') continue;
           seen.push(event.state);
           if (event.state === 'success') break;
         }
       })();
       const { manifest, lease } = await leased(order('event-1', 'FILE_DELETE', 'a.txt'));
       await client.tasks.submit(manifest, { lease, wait: 20 });
       await following;
       const code = (error) => error instanceof WritApiError ? [error.status, error.code, error.field] : String(error);
       const errors = [
         await client.tasks.get('unknown').catch(code),
         await client.tasks.cancel('event-1').catch(code),
         await client.tasks.submit({ ...manifest, extra: 1 }, { lease }).catch(code),
         await new WritClient({ baseUrl: process.env.WRIT_URL, key: 'wrong' }).keys().catch(code),
       ];
       const again = await client.tasks.submit(manifest, { lease });
       answer({ last: seen.at(-1), errors, again: [again.ended, again.replayed, again.task.result.output.undo_metadata.original_path === folder + '/a.txt'] });`,
      { FOLDER: folder('events') },
    );
    expect(answer).toEqual({
      last: 'success',
      errors: [
        [404, 'NOT_FOUND', null],
        [409, 'WRONG_STATE', null],
        [400, 'INVALID_MANIFEST', expect.stringContaining('extra')],
        [401, 'UNAUTHORIZED', null],
      ],
      again: [true, true, true],
    });
  });
});

describe('writ-client alone in a project', () => {
  it('is all that was installed', () => {
    const installed = readdirSync(path.join(consumer.directory, 'node_modules')).filter((name) => !name.startsWith('.'));
    expect(installed).toEqual(['writ-client']);
    expect(consumer.files.filter((file) => !/^(?:package\.json|README\.md|LICENSE|index\.js|types\/[a-z-]+\.d\.ts)$/.test(file))).toEqual([]);
  });

  it('has types that need no others', async () => {
    const text = readFileSync(path.join(packageRoot(), 'examples/client/typed.ts'), 'utf8');
    // Only the example itself reads a file.
    const alone = text
      .replace(/^import \{ readFileSync.*$/m, 'declare function readFileSync(name: string, encoding: string): string;')
      .replace("'writ/client'", "'writ-client'");
    const more = `import { type Verified, verifyResult } from 'writ-client';
      const pushed = await client.tasks.submit({ task_id: 'a', capability_id: 'FILE_DELETE', inputs: { source_path: '/a' }, constraints: { reversible: true } }, {});
      if (pushed.ended && pushed.task.result) {
        const verified: Verified = await verifyResult(pushed.task.result, { task_id: 'a', capability_id: 'FILE_DELETE', manifest_sha256: '' }, await client.keys());
        if (!verified.ok) throw new Error(verified.reason);
      }
      // @ts-expect-error: a delete must be reversible
      await client.tasks.submit({ task_id: 'a', capability_id: 'FILE_DELETE', inputs: { source_path: '/a' }, constraints: {} }, {});`;
    consumer.write('alone.ts', `${alone}\n${more}\n`);
    // The compiler's own libraries and nothing else; these are right.
    const strict = ['--skipDefaultLibCheck', '--noEmit', '--strict', '--exactOptionalPropertyTypes', '--module', 'nodenext', '--target', 'es2023'];
    expect(await consumer.tsc([...strict, 'alone.ts'])).toEqual({ code: 0, out: '', err: '' });
  });

  it('pushes, waits and verifies in a browser, and tells a forged answer', async () => {
    const FOLDER = folder('browser');
    const browser = await startBrowser();
    try {
      const page = await browser.newPage();
      const complaints: string[] = [];
      page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
      page.on('pageerror', (error) => complaints.push(error.message));
      // A page of somebody else's, behind one origin with the API.
      const module = readFileSync(path.join(consumer.directory, 'node_modules/writ-client/index.js'), 'utf8');
      await page.route('**/shop/writ-client.js', (route) => route.fulfill({ contentType: 'text/javascript', body: module }));
      await page.route('**/shop/', (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>shop</title>' }));
      await page.goto(`${site.url}/shop/`);
      const visit = `(async () => {
        const { verifyPlanResult, verifyResult, WritApiError, WritClient } = await import('/shop/writ-client.js');
        const client = new WritClient({ baseUrl: location.origin, key: ${JSON.stringify(site.secret('operator'))} });
        const order = (n) => ({ task_id: 'browser-' + n, capability_id: 'FILE_COPY',
          inputs: { source_path: ${JSON.stringify(`${FOLDER}/a.txt`)}, destination_path: ${JSON.stringify(`${FOLDER}/b-`)} + n }, constraints: {} });
        const receipts = [];
        for await (const { receipt } of client.tasks.submitMany([1, 2].map((n) => ({ manifest: order(n) })), { sign: true })) receipts.push(receipt);
        const task = await client.tasks.result('browser-1', { timeoutMs: ${PATIENCE_MS} });
        const keys = await client.keys();
        const forged = { ...task.result, output: { ...task.result.output, task_id: 'browser-9' } };
        const plan = { context: { memory: { session_id: 'shop', state: {} } }, input: { steps: [
          { type: 'tool', ref: 'writ.file', operation: 'FILE_COPY', params: order(3).inputs }] } };
        const { receipt } = await client.plans.submit(plan, { sign: true });
        const end = await client.plans.wait(receipt.plan_id, { timeoutMs: ${PATIENCE_MS}, memory: true });
        return [receipts, task.state,
          [await verifyResult(task.result, order(1), keys), await verifyResult(task.result, order(2), keys), await verifyResult(forged, order(1), keys)].map(({ ok }) => ok),
          (await verifyPlanResult(end.result, end.plan_id, keys)).ok,
          await client.tasks.get('nobody').catch((error) => error instanceof WritApiError && error.code)];
      })()`;
      expect(await page.evaluate(visit)).toEqual([['accepted', 'accepted'], 'success', [true, false, false], true, 'NOT_FOUND']);
      expect(readFileSync(`${FOLDER}/b-1`, 'utf8')).toBe('hello');
      // The browser says itself that something was not found.
      expect(complaints.filter((text) => !/status of 404/.test(text))).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});
