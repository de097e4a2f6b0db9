import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { METRICS } from '../../../src/observability/events.ts';
import { rulesFile, type Story, tellStories } from '../../support/alerts.ts';

const RULES = rulesFile('index');

function promtool(...args: readonly string[]): { readonly status: number | null; readonly said: string } {
  const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' });
  return { status, said: stdout + stderr };
}

const WARNING = { severity: 'warning' };
const HOST = 'role="index", instance="i1"';
const serving = (values: string) => ({ [`writ_index_serving{${HOST}}`]: values });
const wanted = (value: 0 | 1) => ({ 'writ_index_wanted{role="api", instance="api"}': `${value}x60` });
const state = (name: string, values: string) => ({ [`writ_index_indexes{${HOST}, state="${name}"}`]: values });
const tasks = (end: string, values: string) => ({ [`writ_index_tasks_total{${HOST}, kind="build", end="${end}"}`]: values });

/** Hosts that began at these minutes, each of which shows one event from its first scrape on. */
const newHosts = (name: string, more: string, ...minutes: readonly number[]) =>
  Object.fromEntries(
    minutes.flatMap((minute, n) => [
      [`writ_${name}{role="index", instance="n${n}", ${more}}`, `_x${minute} 1x9`],
      [`process_start_time_seconds{role="index", instance="n${n}"}`, `_x${minute} ${minute * 60 - 2}x9`],
    ]),
  );

describe('prometheus/index-alerts.yml', () => {
  it('are rules that promtool accepts, about metrics of the contract', () => {
    expect(promtool('check', 'rules', RULES)).toMatchObject({ status: 0 });
    const exprs = [...readFileSync(RULES, 'utf8').matchAll(/expr: (.*)/g)].map(([, expr = '']) => expr);
    const names = exprs.flatMap((expr) => [...expr.matchAll(/\bwrit_[a-z_]+/g)].map(([name]) => name));
    expect(exprs).toHaveLength(6);
    for (const name of names) expect([name, Object.hasOwn(METRICS, name)]).toEqual([name, true]);
  });

  const stories: [string, Story][] = [
    ['a host that is wanted is away', { alert: 'WritIndexHostDown', series: wanted(1), after: '3m', labels: WARNING }],
    ['a host went away', { alert: 'WritIndexHostDown', series: { ...wanted(1), ...serving('1x10 _x50') }, after: '20m', labels: WARNING }],
    ['a host runs', { alert: 'WritIndexHostDown', series: { ...wanted(1), ...serving('0x60') }, after: '30m', labels: undefined }],
    ['no index is wanted', { alert: 'WritIndexHostDown', series: wanted(0), after: '30m', labels: undefined }],
    [
      'an index is in doubt for long',
      { alert: 'WritIndexUncertain', series: state('UNCERTAIN', '1x60'), after: '17m', labels: { ...WARNING, instance: 'i1' } },
    ],
    ['an index is in doubt for a while', { alert: 'WritIndexUncertain', series: state('UNCERTAIN', '0x5 1x9 0x45'), after: '30m', labels: undefined }],
    ['an index is damaged', { alert: 'WritIndexCorrupt', series: state('CORRUPT', '1x60'), after: '2m', labels: { severity: 'critical', instance: 'i1' } }],
    [
      'an index is damaged, and repaired, again and again',
      {
        alert: 'WritIndexCorrupt',
        series: { [`writ_index_changes_total{${HOST}, state="CORRUPT"}`]: '0x5 1x10 2x10 3x40' },
        after: '40m',
        labels: { severity: 'critical' },
      },
    ],
    [
      'an index was found damaged at two starts of its host',
      { alert: 'WritIndexCorrupt', series: newHosts('index_changes_total', 'state="CORRUPT"', 5, 20), after: '40m', labels: { severity: 'critical' } },
    ],
    [
      'an index was found damaged at one start of its host',
      { alert: 'WritIndexCorrupt', series: newHosts('index_changes_total', 'state="CORRUPT"', 5), after: '40m', labels: undefined },
    ],
    [
      'an index was damaged once',
      { alert: 'WritIndexCorrupt', series: { [`writ_index_changes_total{${HOST}, state="CORRUPT"}`]: '0x5 1x55' }, after: '40m', labels: undefined },
    ],
    ['builds fail', { alert: 'WritIndexBuildFailing', series: tasks('failed', '0x10 1x10 2x40'), after: '30m', labels: { ...WARNING, instance: 'i1' } }],
    [
      'a build fails at the start of its host',
      {
        alert: 'WritIndexBuildFailing',
        series: newHosts('index_tasks_total', 'kind="build", end="over_budget"', 5),
        after: '14m',
        labels: { ...WARNING, instance: 'n0' },
      },
    ],
    [
      'a build failed and the next went well',
      { alert: 'WritIndexBuildFailing', series: { ...tasks('failed', '0x10 1x50'), ...tasks('ok', '0x15 1x45') }, after: '40m', labels: undefined },
    ],
    [
      'changes pile up',
      {
        alert: 'WritIndexNotKeepingUp',
        series: { [`writ_index_overlay_entries{${HOST}, kind="file"}`]: '6000x60' },
        after: '17m',
        labels: { ...WARNING, instance: 'i1' },
      },
    ],
    [
      'an index is not fit for use for long',
      { alert: 'WritIndexNotComplete', series: { [`writ_index_staleness_seconds{${HOST}}`]: '0+60x60' }, after: '50m', labels: { ...WARNING, instance: 'i1' } },
    ],
    [
      'an index is built',
      { alert: 'WritIndexNotComplete', series: { [`writ_index_staleness_seconds{${HOST}}`]: '0+60x20 0x40' }, after: '50m', labels: undefined },
    ],
    [
      'a burst of changes is worked off',
      { alert: 'WritIndexNotKeepingUp', series: { [`writ_index_overlay_entries{${HOST}, kind="file"}`]: '9000x5 10x55' }, after: '30m', labels: undefined },
    ],
  ];
  tellStories('index', stories);
});
