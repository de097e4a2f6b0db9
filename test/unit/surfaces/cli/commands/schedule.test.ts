import { describe, expect, it } from 'vitest';
import { ScheduleList, ScheduleView } from '../../../../../src/contracts/index.ts';
import { linkedEnvelope } from '../../../../fixtures/schedules/lane.ts';
import { createWorld } from '../world.ts';
import { manifestOf } from '../world-kernel.ts';
import { planIdOfEnvelope } from '../world-plans.ts';

const manifest = JSON.stringify(manifestOf('nightly'));
const envelope = JSON.stringify(linkedEnvelope());

describe('writ schedule', () => {
  it('registers, lists, shows, pauses, resumes and removes', async () => {
    const { cli, audit } = await createWorld();
    const writ = (...args: string[]) => cli(['schedule', ...args], manifest);
    const added = await writ('add', '--cron', '0 2 * * *', '--tz', 'Europe/Berlin', '--ttl', '1h', '-');
    expect(added).toMatchObject({ code: 0 });
    expect(added.out).toMatch(/^nightly fires next at .*T0[01]:00:00[.]000Z/);
    expect((await writ('list')).out).toMatch(/nightly +active +0 2 \* \* \* +Europe.Berlin/);
    expect((await writ('show', 'nightly')).out).toContain('(missed latest, overlap skip, gap after, fold first)');
    expect((await writ('pause', 'nightly')).out).toContain('nightly is paused');
    expect((await writ('resume', 'nightly')).out).toContain('nightly is active, next at');
    expect((await writ('remove', 'nightly')).out).toContain('nightly is removed');
    expect(await writ('show', 'nightly')).toMatchObject({ code: 1 });
    expect(audit.filter(({ outcome }) => outcome === 'done').map(({ action }) => action)).toEqual([
      'schedule.add',
      'schedule.pause',
      'schedule.resume',
      'schedule.remove',
    ]);
  });

  it('answers with the documents of the API', async () => {
    const { cli } = await createWorld();
    const json = async (...args: string[]): Promise<unknown> => JSON.parse((await cli(['--json', 'schedule', ...args], manifest)).out);
    expect(ScheduleView.safeParse(await json('add', '--cron', '0 2 * * *', '-')).error).toBeUndefined();
    expect(ScheduleList.safeParse(await json('list')).error).toBeUndefined();
  });

  it('registers a plan, linked, under its own id or a given one', async () => {
    const { cli } = await createWorld();
    const sha256 = planIdOfEnvelope(linkedEnvelope());
    expect((await cli(['schedule', 'add', '--cron', '0 2 * * *', '-'], envelope)).out).toMatch(/^reports fires next at /);
    const named = await cli(['--json', 'schedule', 'add', '--cron', '0 3 * * *', '--id', 'weekly', '-'], envelope);
    const view: unknown = JSON.parse(named.out);
    expect(ScheduleView.safeParse(view).error).toBeUndefined();
    expect(view).toMatchObject({ id: 'weekly', plan_sha256: sha256 });
    expect((await cli(['schedule', 'show', 'weekly'])).out).toContain(`weekly of the plan ${sha256}: active`);
    const tries = await cli(['schedule', 'add', '--cron', '0 2 * * *', '--attempts', '3', '-'], envelope);
    expect(tries).toMatchObject({ code: 2, err: expect.stringContaining('its steps declare their retries') });
    expect((await cli(['schedule', 'add', '--cron', '0 2 * * *', '--id', 'other', '-'], manifest)).err).toContain('INVALID_ARGUMENT');
  });

  it.each([
    ['a policy that is none', ['--cron', '0 2 * * *', '--missed', 'some']],
    ['all missed times where only one may run', ['--cron', '0 2 * * *', '--missed', 'all']],
    ['the same in more words', ['--cron', '0 2 * * *', '--missed', 'all', '--overlap', 'skip']],
    ['a time that is none', ['--cron', '0 25 * * *']],
    ['tries that are none', ['--cron', '0 2 * * *', '--attempts', 'many']],
  ])('refuses %s', async (_what, flags) => {
    const { cli } = await createWorld();
    expect((await cli(['schedule', 'add', ...flags, '-'], manifest)).err).toContain('INVALID_ARGUMENT');
  });
});
