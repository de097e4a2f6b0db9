import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { packageRoot } from '../../config/package.ts';

/** What tests look at in a file of rules. */
export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: Readonly<Record<string, string>>;
}

/** Names of the files of rules. */
export const ALERT_FILES = ['task', 'redis', 'index', 'message'] as const;

/** All rules of `prometheus/<name>-alerts.yml`. */
export function rulesOf(name: string): readonly Rule[] {
  return groupsOf(name).flatMap(({ rules }) => rules);
}

type Rule = AlertRule | { readonly record: string; readonly expr: string };

function groupsOf(name: string): readonly { readonly name: string; readonly rules: readonly Rule[] }[] {
  return (parse(readFileSync(rulesFile(name), 'utf8')) as { groups: ReturnType<typeof groupsOf> }).groups;
}

export function alertsOf(name: string): readonly AlertRule[] {
  return rulesOf(name).filter((rule) => 'alert' in rule);
}

export function rulesFile(name: string): string {
  return path.join(packageRoot(), 'prometheus', `${name}-alerts.yml`);
}

/** Series with a value for each step (promtool's notation), and which alerts stand after a time. */
export interface Story {
  readonly alert: string;
  readonly series: Readonly<Record<string, string>>;
  readonly after: string;
  /** Time between two values. */
  readonly step?: string;
  /** What the external label says of where runbooks are read. */
  readonly runbooks?: string;
  /** Labels of the alert beside its severity; undefined: it is silent. */
  readonly labels: Readonly<Record<string, string>> | undefined;
}

/** Tests that play these stories with promtool: all in one run, since a start costs more than a story; one alone when they are not as told. */
export function tellStories(rules: string, stories: readonly (readonly [string, Story])[]): void {
  const room = mkdtempSync(path.join(tmpdir(), 'writ-alerts-'));
  afterAll(() => rmSync(room, { recursive: true }));
  const files = new Map(stories.map(([, story], number) => [story, path.join(room, `${rules}-${number}.yml`)]));
  let all: string | undefined;
  it.each(stories)('tells, or is silent: %s', (_, story) => {
    // JSON is YAML.
    if (all === undefined) for (const [one, file] of files) writeFileSync(file, JSON.stringify(played(rules, one, file.replace(/yml$/, 'rules.yml'))));
    all ??= promtool([...files.values()]);
    expect(all === 'as told' ? all : promtool([files.get(story) ?? ''])).toBe('as told');
  });
}

function promtool(files: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', ...files], { encoding: 'utf8' });
  return status === 0 ? 'as told' : stdout + stderr;
}

const RUNBOOK_BASE = '{{ with $externalLabels.runbooks }}{{ . }}{{ else }}http://127.0.0.1:8377/runbooks{{ end }}';

/** As Prometheus hands it out: its base is the external label, or the API's own. */
export function runbookUrlOf({ annotations }: AlertRule, runbooks = 'http://127.0.0.1:8377/runbooks'): string {
  return (annotations['runbook_url'] ?? '').replace(RUNBOOK_BASE, runbooks);
}

/** The alert as it stands in its group, and what is recorded for it: promtool works out every rule of a file at every step of a story. */
function groupsFor(rules: string, { alert, expr }: AlertRule): ReturnType<typeof groupsOf> {
  const isFor = (rule: Rule): boolean => ('record' in rule ? expr.includes(rule.record) : rule.alert === alert);
  return groupsOf(rules)
    .map((group) => ({ ...group, rules: group.rules.filter(isFor) }))
    .filter((group) => group.rules.length > 0);
}

/** A story in promtool's words, with its rules in a file of their own. An alert that does not exist would be silent as told. */
function played(rules: string, { alert, series, after, step = '1m', labels, runbooks }: Story, file: string): object {
  const rule = alertsOf(rules).find((one) => one.alert === alert);
  if (rule === undefined) throw new Error(`there is no ${alert}`);
  const groups = groupsFor(rules, rule);
  writeFileSync(file, JSON.stringify({ groups }));
  const expected =
    labels === undefined
      ? []
      : [{ exp_labels: { ...rule.labels, ...labels }, exp_annotations: { ...rule.annotations, runbook_url: runbookUrlOf(rule, runbooks) } }];
  return {
    rule_files: [file],
    // Else promtool takes them in any order, and an alert may look at a recorded value that is a long step old.
    group_eval_order: groups.map(({ name }) => name),
    evaluation_interval: step,
    tests: [
      {
        interval: step,
        ...(runbooks === undefined ? {} : { external_labels: { runbooks } }),
        input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
        alert_rule_test: [{ eval_time: after, alertname: alert, exp_alerts: expected }],
      },
    ],
  };
}
