import { beforeAll, describe, expect, it } from 'vitest';
import { type NamedThings, namedThings } from '../../../../scripts/docs/named-things.ts';
import { nameProblems, wrongNames } from '../../../../scripts/docs/names.ts';

describe('names in pages', () => {
  let things: NamedThings;
  beforeAll(async () => {
    things = await namedThings();
  });
  const problems = (text: string): string[] => wrongNames([{ file: 'a.md', text }], things).map((problem) => problem.replace('a.md:1: ', ''));

  it('are all of commands, options, settings, metrics and methods that are there', () => {
    expect(nameProblems(things)).toEqual([]);
  });

  it.each([
    ['`client.tasks.pushMany`', 'the client has no tasks.pushMany'],
    ['`writ_event_loop_lag_seconds`', 'there is no metric writ_event_loop_lag_seconds'],
    ['`writ_task_run_seconds_total`', 'there is no metric writ_task_run_seconds_total'],
    ['`lease.max_ttl`', 'there is no setting lease.max_ttl'],
    ['`writ plan chek x.json`', 'writ plan has no command chek'],
    ['`writ queue halt file`', 'writ queue has no command halt'],
    ['`writ push a.json --sing`', 'writ push has no option --sing'],
    ['`writ tasks list --state failure --wait`', 'writ tasks list has no option --wait'],
  ])('of which one is wrong are told: %s', (text, problem) => {
    expect(problems(text)).toEqual([problem]);
  });

  it.each([
    '`client.tasks.submit`, `writ_task_run_seconds_bucket{le="1"}`, `ledger.retention_s`, `[ledger]`, `ledger.ts`',
    '`writ --data-dir x push - --sign --ttl=15m`, `writ queue pause|resume|list`, `writ plan <command>`, `writ search -C2 x`, `http.webhook`',
  ])('may be these: %s', (text) => {
    expect(problems(text)).toEqual([]);
  });

  it('are read in shell blocks as a shell reads them: pipes, lists, quotes and comments', () => {
    const block = (line: string): string[] => wrongNames([{ file: 'a.md', text: `\`\`\`sh\n${line}\n\`\`\`` }], things);
    expect(block("sed 's/x/y/' a | writ push - --sing && echo 'writ --wrong' # writ --wrong")).toEqual(['a.md:2: writ push has no option --sing']);
    expect(block('echo "$(writ lease issue raw.json)" > writ; writ find workspace "x --y"')).toEqual([]);
  });
});
