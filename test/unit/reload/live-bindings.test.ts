import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { createAuditLog } from '../../../src/data-dir/audit-log.ts';
import { createAuditReader } from '../../../src/data-dir/audit-reader.ts';
import { bindingsMark, followBindings, type LiveBindings } from '../../../src/reload/live-bindings.ts';
import { holdSettings, RELOAD_POINTS, type ReloadEnd, type ReloadPoint, type SettingsHolder } from '../../../src/reload/live-settings.ts';

const http = (tool: string, changes: object = {}) => ({
  ...{ tool, adapter: 'http', provider: 'crm', http: { hosts: ['crm.example'], secrets: { key: 'env:CRM_KEY' } } },
  ...{ actions: { add: { request: { method: 'POST', url: 'https://crm.example/v1' } } }, ...changes },
});
const elsewhere = http('b', { actions: { add: { request: { method: 'POST', url: 'https://crm.example/v2' } } } });
const FIRST = { a: http('a'), b: http('b'), other: http('other', { provider: 'other' }) };

let home: string;
let settings: SettingsHolder<object>;
let live: LiveBindings;
let touched: string[][];
beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'writ-live-bindings-'));
  put(FIRST);
  settings = holdSettings({});
  live = followBindings([home], settings);
  touched = [];
  live.follow(async (_next, providers) => {
    touched.push([...providers]);
    return undefined;
  });
});
afterEach(() => rmSync(home, { recursive: true }));

function put(bindings: Readonly<Record<string, unknown>>): void {
  const folder = path.join(home, 'config/tool-bindings');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, binding] of Object.entries(bindings)) writeFileSync(path.join(folder, `${name}.json`), JSON.stringify(binding));
}

const auditFile = () => path.join(home, 'audit.ndjson');
const reload = (onPoint?: (point: ReloadPoint) => Promise<void> | undefined): Promise<ReloadEnd> =>
  settings.reload('me', {
    role: 'worker 1',
    read: () => settings.current,
    judge: (now) => ({ config: now, changed: [], restart: [] }),
    audit: createAuditLog({ file: auditFile(), clock: systemClock }),
    tell: () => undefined,
    warn: () => undefined,
    ...(onPoint === undefined ? {} : { onPoint }),
  });
async function details() {
  const found: { outcome: string; detail: unknown }[] = [];
  for await (const { outcome, detail } of createAuditReader(auditFile()).records()) found.push({ outcome, detail });
  return found;
}
const HASH = /^[0-9a-f]{12} -> [0-9a-f]{12}$/;

describe('bindings of a role that reloads', () => {
  it('are exchanged with a diff of hashes and a generation, for the provider that they are of', async () => {
    put({ ...FIRST, b: elsewhere });
    const before = settings.files();
    expect(await reload()).toEqual({ outcome: 'taken', changed: ['config/tool-bindings/b.json'], restart: [] });
    expect([settings.generation, touched, settings.files()]).toEqual([2, [['crm']], { 'tool bindings': bindingsMark([home]) }]);
    expect(settings.files()).not.toEqual(before);
    const detail = { 'config/tool-bindings/b.json': expect.stringMatching(HASH) };
    expect(await details()).toEqual(['asked', 'done'].map((outcome) => ({ outcome, detail })));
  });

  it('are bound no more when their file is gone, and unchanged when they are only written anew', async () => {
    put({ a: FIRST.a, other: FIRST.other });
    expect([await reload(), live.bindings('b')]).toMatchObject([{ outcome: 'taken' }, undefined]);
    put({ a: Object.fromEntries(Object.entries(FIRST.a).reverse()), other: FIRST.other });
    expect([await reload(), settings.generation]).toMatchObject([{ outcome: 'unchanged', changed: [], restart: [] }, 2]);
  });

  it.each<[string, Readonly<Record<string, unknown>>, string]>([
    ['a provider comes', { ...FIRST, b: http('b', { provider: 'new' }) }, 'tool bindings (provider new)'],
    ['a provider goes', { a: FIRST.a, b: FIRST.b }, 'tool bindings (provider other)'],
    ['a provider has other slots', { ...FIRST, other: http('other', { provider: 'other', concurrency: 3 }) }, 'tool bindings (provider other)'],
    ['a tool goes to the adapter writ', { ...FIRST, b: { tool: 'b', adapter: 'writ' } }, 'tool bindings (tool b)'],
  ])('need a restart, all of them, when %s', async (_what, bindings, restart) => {
    put({ ...bindings, a: http('a', { actions: elsewhere.actions }) });
    const [of, mark] = [live.current, settings.files()];
    expect(await reload()).toEqual({ outcome: 'unchanged', changed: [], restart: [restart] });
    expect([live.current === of, settings.files(), settings.generation, touched]).toEqual([true, mark, 1, []]);
  });

  it('stay as they are when a file has a fault or is half written, and the answer names it', async () => {
    put({ ...FIRST, a: { ...FIRST.a, adapter: 'ftp' } });
    expect(await reload()).toMatchObject({ outcome: 'refused', problem: expect.stringContaining('config/tool-bindings/a.json') });
    writeFileSync(path.join(home, 'config/tool-bindings/a.json'), JSON.stringify(FIRST.a).slice(0, 40));
    expect(await reload()).toMatchObject({ outcome: 'refused', problem: expect.stringContaining('config/tool-bindings/a.json') });
    expect([live.bindings('a'), settings.generation]).toEqual([{ adapter: 'http', provider: 'crm' }, 1]);
  });

  it('stay as they are when one provider cannot go over, and the others are given back', async () => {
    const steps: string[] = [];
    live.follow(async () => ({ commit: () => steps.push('commit'), abandon: async () => void steps.push('abandon') }));
    live.follow(async () => {
      throw new Error('no program');
    });
    put({ ...FIRST, b: elsewhere });
    expect(await reload()).toMatchObject({ outcome: 'refused', problem: 'no program' });
    expect([steps, settings.generation]).toEqual([['abandon'], 1]);
  });

  it.each(RELOAD_POINTS)('are the old ones or the new ones, whole, with their own mark, when the role is cut off after the step %s', async (cut) => {
    const [before, of] = [settings.files(), live.current];
    put({ ...FIRST, b: elsewhere });
    await new Promise<void>((resolve) => {
      void reload((point) => {
        if (point !== cut) return undefined;
        resolve();
        return new Promise(() => undefined);
      });
    });
    const isNew = RELOAD_POINTS.indexOf(cut) >= RELOAD_POINTS.indexOf('swapped');
    expect([live.current === of, settings.generation]).toEqual([!isNew, isNew ? 2 : 1]);
    expect(settings.files()).toEqual(isNew ? { 'tool bindings': bindingsMark([home]) } : before);
    const outcomes = RELOAD_POINTS.indexOf(cut) < RELOAD_POINTS.indexOf('asked') ? [] : cut === 'done' ? ['asked', 'done'] : ['asked'];
    expect((await details().catch(() => [])).map(({ outcome }) => outcome)).toEqual(outcomes);
  });

  it('end up as the last file says when ten ask at once', async () => {
    put({ ...FIRST, b: elsewhere });
    const ends = await Promise.all(Array.from({ length: 10 }, () => reload()));
    expect([ends.map(({ outcome }) => outcome), settings.generation, touched.length]).toEqual([
      ['taken', ...Array.from({ length: 9 }, () => 'unchanged')],
      2,
      1,
    ]);
  });
});
