import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { createAuditLog } from '../../../src/data-dir/audit-log.ts';
import { createAuditReader } from '../../../src/data-dir/audit-reader.ts';
import { runningRoles, tellRunning } from '../../../src/data-dir/running-roles.ts';
import { holdSettings, RELOAD_POINTS, type ReloadOptions, type ReloadPoint, type SettingsHolder } from '../../../src/reload/live-settings.ts';

interface Values {
  readonly level: string;
}

let home: string;
beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'writ-reload-'));
});
afterEach(() => rmSync(home, { recursive: true }));

const auditFile = () => path.join(home, 'audit.ndjson');
const running = () => path.join(home, 'running');

/** A role with a real audit log and a real word, whose settings are `info` and whose file says `next`. */
function createRole(next: string | Error = 'debug') {
  const settings = holdSettings<Values>({ level: 'info' });
  const said = () => ({ role: 'worker', pid: 1, settings: { level: settings.current.level }, generation: settings.generation });
  const word = tellRunning(running(), said());
  const warnings: string[] = [];
  const options: ReloadOptions<Values> = {
    role: 'worker 1',
    read() {
      if (next instanceof Error) throw next;
      return { level: next };
    },
    judge: (now, read) => ({
      config: read,
      changed: now.level === read.level ? [] : [{ key: 'log.level', from: now.level, to: read.level }],
      restart: ['http.port'],
    }),
    audit: createAuditLog({ file: auditFile(), clock: systemClock }),
    tell: () => word.change(said()),
    warn: (why) => warnings.push(why),
  };
  return { settings, options, warnings, word };
}

const told = () => runningRoles(running())[0]?.settings['level'];
async function records() {
  const found: unknown[] = [];
  for await (const { action, who, subject, outcome, detail } of createAuditReader(auditFile()).records()) found.push({ action, who, subject, outcome, detail });
  return found;
}

describe('a reload', () => {
  it('takes up what differs, between two records with the diff, and counts a generation', async () => {
    const { settings, options } = createRole();
    expect(await settings.reload('me', options)).toEqual({ outcome: 'taken', changed: ['log.level'], restart: ['http.port'] });
    expect([settings.current, settings.generation, told()]).toEqual([{ level: 'debug' }, 2, 'debug']);
    const record = {
      ...{ action: 'settings.reload', who: 'me', subject: 'worker 1, generation 2' },
      detail: { 'log.level': 'info -> debug', 'needs restart': 'http.port' },
    };
    expect(await records()).toEqual([
      { ...record, outcome: 'asked' },
      { ...record, outcome: 'done' },
    ]);
  });

  it('writes nothing down where nothing differs', async () => {
    const { settings, options } = createRole('info');
    expect(await settings.reload('me', options)).toEqual({ outcome: 'unchanged', changed: [], restart: ['http.port'] });
    expect([settings.generation, await records().catch(() => [])]).toEqual([1, []]);
  });

  it('changes nothing for a bad file, and says why', async () => {
    const { settings, options } = createRole(new Error('log.level: must be one of …\nhttp.port: must be at most 65535'));
    expect(await settings.reload('me', options)).toMatchObject({ outcome: 'refused', problem: expect.stringContaining('\nhttp.port') });
    expect([settings.current.level, settings.generation, told()]).toEqual(['info', 1, 'info']);
  });

  it('changes no part when one cannot go over, and gives back what the others prepared', async () => {
    const { settings, options } = createRole();
    const steps: string[] = [];
    settings.follow(() => ({ commit: () => steps.push('commit'), abandon: async () => void steps.push('abandon') }));
    settings.follow(() => {
      throw new Error('/srv/inbox is not there');
    });
    expect(await settings.reload('me', options)).toMatchObject({ outcome: 'refused', problem: '/srv/inbox is not there' });
    expect([steps, settings.current.level, await records().catch(() => [])]).toEqual([['abandon'], 'info', []]);
  });

  it('is not done when it cannot be written down', async () => {
    const { settings, options } = createRole();
    mkdirSync(auditFile());
    const steps: string[] = [];
    settings.follow(() => ({ commit: () => steps.push('commit'), abandon: async () => void steps.push('abandon') }));
    expect(await settings.reload('me', options)).toMatchObject({ outcome: 'refused' });
    expect([steps, settings.current.level, settings.generation, told()]).toEqual([['abandon'], 'info', 1, 'info']);
  });

  it('stands when its end cannot be written down, and says so', async () => {
    const { settings, options, warnings } = createRole();
    const full = async () => Promise.reject(new Error('no space left'));
    const audit = { append: options.audit.append, keepForLater: full };
    const onPoint = (point: ReloadPoint): void => {
      if (point === 'told') audit.append = full;
    };
    expect(await settings.reload('me', { ...options, audit: { append: (entry) => audit.append(entry), keepForLater: full }, onPoint })).toMatchObject({
      outcome: 'taken',
    });
    expect([settings.current.level, told(), warnings]).toEqual(['debug', 'debug', ['no space left']]);
  });

  it('waits for the one before it, whoever asks', async () => {
    const { settings, options } = createRole();
    const ends = await Promise.all(['one', 'other'].map((who) => settings.reload(who, options)));
    expect([ends.map(({ outcome }) => outcome), settings.generation]).toEqual([['taken', 'unchanged'], 2]);
  });
});

describe('a reload that is cut off', () => {
  /** What the log, the word and the role itself say of a role that stands still behind a point, as one that was killed there. */
  const AFTER: Readonly<Record<ReloadPoint, { records: readonly string[]; level: string; told: string }>> = {
    read: { records: [], level: 'info', told: 'info' },
    judged: { records: [], level: 'info', told: 'info' },
    asked: { records: ['asked'], level: 'info', told: 'info' },
    swapped: { records: ['asked'], level: 'debug', told: 'info' },
    told: { records: ['asked'], level: 'debug', told: 'debug' },
    done: { records: ['asked', 'done'], level: 'debug', told: 'debug' },
  };

  it.each(RELOAD_POINTS)('behind "%s" is as the table says, and the next start has the file', async (point) => {
    const { settings, options, word } = createRole();
    await cut(settings, options, point);
    const found = (await records().catch(() => [])) as { outcome: string }[];
    expect({ records: found.map(({ outcome }) => outcome), level: settings.current.level, told: told() }).toEqual(AFTER[point]);
    // Killed: the system frees the lock, and nobody believes its word any more.
    word.end();
    expect(runningRoles(running())).toEqual([]);
    if (found.length > 0) expect((await createAuditReader(auditFile()).verify()).ok).toBe(true);
    const again = holdSettings(options.read());
    expect([again.current.level, again.generation]).toEqual(['debug', 1]);
  });

  it('leaves no half of a word: a file that was not renamed is nobody', async () => {
    const { word } = createRole();
    writeFileSync(path.join(running(), 'worker-1.json.new'), '{"role":"wor');
    expect(told()).toBe('info');
    word.end();
  });
});

/** Resolves when the reload stands behind this point, from where it never goes on. */
function cut(settings: SettingsHolder<Values>, options: ReloadOptions<Values>, at: ReloadPoint): Promise<void> {
  return new Promise((resolve) => {
    const onPoint = (point: ReloadPoint): Promise<void> | undefined => {
      if (point !== at) return undefined;
      resolve();
      return new Promise(() => undefined);
    };
    void settings.reload('me', { ...options, onPoint });
  });
}
