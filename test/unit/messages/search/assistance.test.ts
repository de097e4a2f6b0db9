import { describe, expect, it } from 'vitest';
import { momentText, momentUs } from '../../../../src/core/message-time.ts';
import { assist } from '../../../../src/messages/search/assistance.ts';
import { guide } from '../../../../src/messages/search/guidance.ts';
import { normalQuery } from '../../../../src/messages/search/query.ts';

const hints = (text: string) => assist(text)?.applied_filter_hints?.map(({ field, value }) => `${field}=${value}`);

describe('assistance', () => {
  it('reads fields as hints and leaves them out of the text', { tags: ['MS-117'] }, () => {
    expect(assist('from:Alice deploy fix thread:br-99 urgent')).toEqual({
      query_text: 'deploy fix urgent',
      applied_filter_hints: [
        { field: 'from', value: 'Alice' },
        { field: 'thread', value: 'br-99' },
      ],
    });
    expect(assist('from:"Blue Lake" project:"backend-api" search')).toEqual({
      query_text: 'search',
      applied_filter_hints: [
        { field: 'from', value: 'Blue Lake' },
        { field: 'project', value: 'backend-api' },
      ],
    });
  });

  it.each([
    ['FROM:Alice', ['from=Alice']],
    ['frm:A from_agent:B sender:C sender_name:D', ['from=A', 'from=B', 'from=C', 'from=D']],
    ['from:http://example.com body', ['from=http://example.com']],
    ['thr:1 thread_id:2 proj:3 priority:4 imp:5', ['thread=1', 'thread=2', 'project=3', 'importance=4', 'importance=5']],
    ['after:2026-01-31 before:2026-01-31', ['after=2026-01-31T00:00:00.000000Z', 'before=2026-01-31T23:59:59.999999Z']],
    ['since:2026-01-31T10:00 until:soon', ['after=2026-01-31T10:00:00.000000Z', 'before=soon']],
  ])('reads %j as %j', (text, expected) => {
    expect(hints(text)).toEqual(expected);
  });

  it.each(['plain words', 'from: hello', ':x', 'zzzzzzz:val xyz:something', '"from:Alice"'])('has nothing to say about %j', (text) => {
    expect(assist(text)).toBeUndefined();
  });

  it('suggests the field that a near miss means, and keeps the word', () => {
    expect(assist('fron:Alice migration')).toEqual({
      query_text: 'fron:Alice migration',
      did_you_mean: [{ token: 'fron:Alice', suggested_field: 'from', value: 'Alice' }],
    });
  });
});

describe('guidance', () => {
  const kinds = (query: Parameters<typeof normalQuery>[0]) => guide(normalQuery(query), assist(query.text)).suggestions?.map(({ kind }) => kind);

  it('suggests to leave out each filter that is set, then to mend what looks mistyped', { tags: ['MS-117'] }, () => {
    const filters = { thread_id: 'x', ack_required: true, importance: ['high' as const], sender_name: 'Ada', time_range: { min_ts: 1 } };
    expect(kinds({ text: 'fron:Ada', ...filters })).toEqual([
      'broaden_date_range',
      'drop_importance_filter',
      'drop_agent_filter',
      'drop_thread_filter',
      'drop_ack_filter',
      'fix_typo',
    ]);
    expect(guide(normalQuery({ text: 'x', thread_id: 'y' }), undefined).summary).toBe('Nothing was found; 1 suggestion.');
  });

  it('suggests simpler words only when there is nothing else, and words when there are none', () => {
    expect(kinds({ text: 'x' })).toEqual(['simplify_query']);
    expect(kinds({ text: '' })).toEqual(['enter_search_terms']);
    expect(kinds({ text: 'x', doc_kind: 'agent', thread_id: 'y' })).toEqual(['simplify_query']);
  });
});

describe('moments', () => {
  it.each([
    ['2026-01-31', 'start', '2026-01-31T00:00:00.000000Z'],
    ['2026-01-31', 'end', '2026-01-31T23:59:59.999999Z'],
    ['2026-01-31T10:20', 'end', '2026-01-31T10:20:00.000000Z'],
    ['2026-01-31 10:20:30', 'start', '2026-01-31T10:20:30.000000Z'],
    ['2026-01-31T10:20:30.123456789+02:00', 'start', '2026-01-31T08:20:30.123456Z'],
    ['2026-01-31T23:30:00-0100', 'start', '2026-02-01T00:30:00.000000Z'],
    ['1969-12-31T23:59:59.999999Z', 'start', '1969-12-31T23:59:59.999999Z'],
  ] as const)('reads %j (%s) as %s', { tags: ['MS-119', 'MS-120'] }, (text, end, expected) => {
    expect(momentText(momentUs(text, end) ?? Number.NaN)).toBe(expected);
  });

  it.each(['America/New_York', 'Pacific/Kiritimati'])('mean the same on a machine in %s', { tags: ['MS-119'] }, (zone) => {
    const before = process.env['TZ'];
    process.env['TZ'] = zone;
    try {
      expect(new Date(0).getTimezoneOffset()).not.toBe(0);
      expect(momentText(momentUs('2026-01-31', 'start') ?? Number.NaN)).toBe('2026-01-31T00:00:00.000000Z');
      expect(momentText(momentUs('2026-01-31', 'end') ?? Number.NaN)).toBe('2026-01-31T23:59:59.999999Z');
      expect(momentText(momentUs('2026-01-31T10:20', 'start') ?? Number.NaN)).toBe('2026-01-31T10:20:00.000000Z');
    } finally {
      if (before === undefined) delete process.env['TZ'];
      else process.env['TZ'] = before;
    }
  });

  it.each(['', 'soon', '2026-02-30', '2026-13-01', '2026-01-31T25:00', '2026-01-31T10:60', '2026-1-1', '31.01.2026'])('reads none in %j', (text) => {
    expect(momentUs(text, 'start')).toBeUndefined();
  });
});
