import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OperatorAction, TaskEvents } from '../../../../src/core/ports/index.ts';
import { WritClient } from '../../../../src/surfaces/client/index.ts';
import { ROUTES } from '../../../../src/surfaces/http/routes/table.ts';
import { createWorld } from '../../../unit/surfaces/cli/world.ts';
import { type Site, startSite } from './core-site.ts';

const TASK = { id: 7, task_id: 't', capability_id: 'FILE_COPY', state: 'failure', error_code: 'X', at: '2026-01-01T00:00:00.000Z' } as const;
const PLAN = { plan_id: 'a'.repeat(64), state: 'running', steps_done: 2, current: '1#0', at: '2026-01-01T00:00:00.000Z' } as const;

let site: Site;
let home: string;
let audit: OperatorAction[];
const changes = { asked: [] as (number | undefined)[] };
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'writ-sessions-'));
  audit = [];
  site = await startSite({
    routes: ROUTES,
    services: {
      audit: { append: async (entry) => ({ ...entry, v: 1, n: audit.push(entry), at: '', prev: '', hash: '' }) },
      index: {
        list: () => Promise.reject(new Error('nobody lists')),
        health: () => ({ state: 'following', tasks: 0, lagMs: 0 }),
        events(after, signal): TaskEvents {
          changes.asked.push(after);
          return {
            begun: Promise.resolve(),
            async *[Symbol.asyncIterator]() {
              yield TASK;
              await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
            },
          };
        },
      },
      plans: {
        ...(await createWorld()).plans.door,
        events: {
          listen(listener) {
            listener(PLAN);
            return () => undefined;
          },
        },
      },
    },
  });
  writeFileSync(join(home, 'operator.key'), site.secrets.all);
});
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  rmSync(home, { recursive: true, force: true });
});

const client = (as: keyof Site['secrets']) => new WritClient({ baseUrl: site.url, key: site.secrets[as] });
const unused = (): never => {
  throw new Error('nobody asks');
};
const access = () => ({
  keys: unused,
  links: unused,
  assertNew: unused,
  keepSecret: unused,
  apiUrl: () => site.url,
  secretFile: (name: string) => join(home, `${name}.key`),
});

describe('who is logged in', () => {
  it('is told to operators without anything that opens a session, and ends when they say so', async () => {
    const cookie = await site.logIn(site.secrets.read);
    const mine = await site.logIn(site.secrets.operate);
    const { sessions } = await client('operate').sessions.list();
    expect(sessions).toMatchObject([
      { name: 'operate', roles: ['operate'], current: false },
      { name: 'read', roles: ['read'], current: false },
    ]);
    expect(JSON.stringify(sessions)).not.toContain(cookie.split('=')[1]);
    const seen = await site.fetch('/v1/sessions', { headers: { cookie: mine } });
    expect(await seen.json()).toMatchObject({ sessions: [{ name: 'operate', current: true }, { current: false }] });

    const [, reader] = sessions;
    expect(await client('operate').sessions.end(reader?.id ?? '')).toEqual({ id: reader?.id, name: 'read', ended: true });
    expect((await site.fetch('/v1/tasks', { headers: { cookie } })).status).toBe(401);
    await expect(client('operate').sessions.end(reader?.id ?? '')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(client('read').sessions.list()).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(audit.map(({ action, subject, outcome, detail }) => [action, subject, outcome, detail?.['name']])).toEqual([
      ['session.end', reader?.id, 'asked', 'read'],
      ['session.end', reader?.id, 'done', 'read'],
      ['session.end', reader?.id, 'asked', undefined],
      ['session.end', reader?.id, 'refused', undefined],
    ]);
  });

  it('is told to nobody whose key is dead: the command names the file of it, and what to do', async () => {
    const { cli } = await createWorld();
    const dead = join(home, 'dead.key');
    writeFileSync(dead, `writ_${'0'.repeat(16)}_${'a'.repeat(43)}`);
    for (const words of [['sessions', 'list'], ['tasks', 'list'], ['events']]) {
      const own = await cli(words, '', { access: { ...access(), secretFile: () => dead } });
      expect(own).toMatchObject({
        code: 1,
        err: expect.stringMatching(/does not take the key in \S+dead\.key: .*writ key create operator --roles .*\(UNAUTHORIZED\)/),
      });
      const named = await cli([...words, '--key', dead], '', { access: access() });
      expect(named).toMatchObject({
        code: 1,
        err: expect.stringMatching(/does not take the key in \S+dead\.key: .*another file with --key.*\(UNAUTHORIZED\)/),
      });
    }
  });

  it('is listed and ended from the terminal', async () => {
    await site.logIn(site.secrets.submit);
    const { cli } = await createWorld();
    const listed = await cli(['sessions', 'list', '--json'], '', { access: access() });
    const { sessions } = listed.lines[0] as unknown as { sessions: { id: string; name: string }[] };
    const id = sessions.find(({ name }) => name === 'submit')?.id ?? '';
    expect((await cli(['sessions', 'list'], '', { access: access() })).out).toMatch(new RegExp(`${id} +submit +submit +[\\d.]+ m?s +\\d`));
    expect(await cli(['sessions', 'end', id], '', { access: access() })).toMatchObject({ code: 0, out: 'submit is logged out\n' });
    expect(await cli(['sessions', 'end', id], '', { access: access() })).toMatchObject({ code: 1, err: expect.stringContaining('NOT_FOUND') });
    const noId = await cli(['sessions', 'end', 'nope'], '', { access: access() });
    expect(noId).toMatchObject({
      code: 2,
      err: expect.stringContaining('id: must be the id of a session, as the list of sessions shows it (INVALID_ARGUMENT)'),
    });
  });
});

describe('writ events', () => {
  it('follows tasks and plans from a place on, until it is interrupted', async () => {
    const world = await createWorld();
    const lines: string[] = [];
    const stdout = Object.assign(
      new (await import('node:stream')).Writable({
        write(chunk, _encoding, done) {
          lines.push(String(chunk));
          if (lines.length === 2) world.interrupt.abort();
          done();
        },
      }),
    );
    expect((await world.cli(['events', '--after', '6', '--json'], '', { access: access(), io: { stdout } })).code).toBe(0);
    expect(changes.asked).toEqual([6]);
    expect(lines.map((line) => JSON.parse(line)).sort((a, b) => (a.kind < b.kind ? -1 : 1))).toEqual([
      { kind: 'plan', ...PLAN },
      { kind: 'task', ...TASK },
    ]);
    expect((await world.cli(['events', '--after', 'x'], '', { access: access() })).code).toBe(2);
  });
});
