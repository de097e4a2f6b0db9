import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../../config/places.ts';
import { METRICS } from '../../../src/observability/events.ts';

const RULES = path.join(packageRoot(), 'prometheus', 'index-alerts.yml');
const room = mkdtempSync(path.join(tmpdir(), 'writ-alerts-'));
afterAll(() => rmSync(room, { recursive: true }));

function promtool(...args: readonly string[]): { readonly status: number | null; readonly said: string } {
  const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' });
  return { status, said: stdout + stderr };
}

/** Series with a value for each minute (promtool's notation), and whether an alert fires after some minutes. */
interface Story {
  readonly alert: string;
  readonly series: Readonly<Record<string, string>>;
  readonly after: number;
  readonly labels: Readonly<Record<string, string>> | undefined;
}

function outcome({ alert, series, after, labels }: Story): string {
  const file = path.join(room, 'story.yml');
  const story = {
    rule_files: [RULES],
    evaluation_interval: '1m',
    tests: [
      {
        interval: '1m',
        input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
        alert_rule_test: [
          { eval_time: `${after}m`, alertname: alert, exp_alerts: labels === undefined ? [] : [{ exp_labels: labels, exp_annotations: annotationsOf(alert) }] },
        ],
      },
    ],
  };
  // JSON is YAML.
  writeFileSync(file, JSON.stringify(story));
  const { status, said } = promtool('test', 'rules', file);
  return status === 0 ? 'as told' : said;
}

/** promtool compares the words too; they are read from the rules as they stand. */
function annotationsOf(alert: string): Record<string, string> {
  const block =
    readFileSync(RULES, 'utf8')
      .split('- alert: ')
      .find((part) => part.startsWith(`${alert}\n`)) ?? '';
  const word = (name: string): string => {
    const text = new RegExp(`${name}: (.*)`).exec(block)?.[1] ?? '';
    return text.startsWith('"') ? (JSON.parse(text) as string) : text;
  };
  return { summary: word('summary'), description: word('description'), runbook_url: word('runbook_url') };
}

const HOST = 'role="index", instance="i1"';
const WARNING = { severity: 'warning' };
const serving = (values: string) => ({ [`writ_index_serving{${HOST}}`]: values });
const wanted = (value: 0 | 1) => ({ 'writ_index_wanted{role="api", instance="api"}': `${value}x60` });
const state = (name: string, values: string) => ({ [`writ_index_indexes{${HOST}, state="${name}"}`]: values });
const tasks = (end: string, values: string) => ({ [`writ_index_tasks_total{${HOST}, kind="build", end="${end}"}`]: values });

describe('prometheus/index-alerts.yml', () => {
  it('are rules that promtool accepts, about metrics of the contract', () => {
    expect(promtool('check', 'rules', RULES)).toMatchObject({ status: 0 });
    const exprs = [...readFileSync(RULES, 'utf8').matchAll(/expr: (.*)/g)].map(([, expr = '']) => expr);
    const names = exprs.flatMap((expr) => [...expr.matchAll(/\bwrit_[a-z_]+/g)].map(([name]) => name));
    expect(exprs).toHaveLength(6);
    for (const name of names) expect([name, Object.hasOwn(METRICS, name)]).toEqual([name, true]);
  });

  it.each<[string, Story]>([
    ['a host that is wanted is away', { alert: 'WritIndexHostDown', series: wanted(1), after: 3, labels: WARNING }],
    ['a host went away', { alert: 'WritIndexHostDown', series: { ...wanted(1), ...serving('1x10 _x50') }, after: 20, labels: WARNING }],
    ['a host runs', { alert: 'WritIndexHostDown', series: { ...wanted(1), ...serving('0x60') }, after: 30, labels: undefined }],
    ['no index is wanted', { alert: 'WritIndexHostDown', series: wanted(0), after: 30, labels: undefined }],
    ['an index is in doubt for long', { alert: 'WritIndexUncertain', series: state('UNCERTAIN', '1x60'), after: 17, labels: { ...WARNING, instance: 'i1' } }],
    ['an index is in doubt for a while', { alert: 'WritIndexUncertain', series: state('UNCERTAIN', '0x5 1x9 0x45'), after: 30, labels: undefined }],
    ['an index is damaged', { alert: 'WritIndexCorrupt', series: state('CORRUPT', '1x60'), after: 2, labels: { severity: 'critical', instance: 'i1' } }],
    [
      'an index is damaged, and repaired, again and again',
      {
        alert: 'WritIndexCorrupt',
        series: { [`writ_index_changes_total{${HOST}, state="CORRUPT"}`]: '0x5 1x10 2x10 3x40' },
        after: 40,
        labels: { severity: 'critical', instance: 'i1' },
      },
    ],
    [
      'an index was damaged once',
      { alert: 'WritIndexCorrupt', series: { [`writ_index_changes_total{${HOST}, state="CORRUPT"}`]: '0x5 1x55' }, after: 40, labels: undefined },
    ],
    ['builds fail', { alert: 'WritIndexBuildFailing', series: tasks('failed', '0x10 1x10 2x40'), after: 30, labels: { ...WARNING, instance: 'i1' } }],
    [
      'a build failed and the next went well',
      { alert: 'WritIndexBuildFailing', series: { ...tasks('failed', '0x10 1x50'), ...tasks('ok', '0x15 1x45') }, after: 40, labels: undefined },
    ],
    [
      'changes pile up',
      {
        alert: 'WritIndexNotKeepingUp',
        series: { [`writ_index_overlay_entries{${HOST}, kind="file"}`]: '6000x60' },
        after: 17,
        labels: { ...WARNING, instance: 'i1' },
      },
    ],
    [
      'an index is not fit for use for long',
      { alert: 'WritIndexNotComplete', series: { [`writ_index_staleness_seconds{${HOST}}`]: '0+60x60' }, after: 50, labels: { ...WARNING, instance: 'i1' } },
    ],
    [
      'an index is built',
      { alert: 'WritIndexNotComplete', series: { [`writ_index_staleness_seconds{${HOST}}`]: '0+60x20 0x40' }, after: 50, labels: undefined },
    ],
    [
      'a burst of changes is worked off',
      { alert: 'WritIndexNotKeepingUp', series: { [`writ_index_overlay_entries{${HOST}, kind="file"}`]: '9000x5 10x55' }, after: 30, labels: undefined },
    ],
  ])('tell, or are silent: %s', (_, story) => {
    expect(outcome(story)).toBe('as told');
  });
});
