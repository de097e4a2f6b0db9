import { describe, expect, it } from 'vitest';
import type { SearchResponse } from '../../../../../src/contracts/index.ts';
import { EXPLAIN_SAMPLE } from '../../../../support/message-samples.ts';
import { A_MESSAGE, messageSearchTwin } from '../../../../support/message-search-twin.ts';
import { createWorld } from '../world.ts';

/** `writ messages search` over a search that answers so. */
async function search(args: readonly string[], response?: SearchResponse) {
  const twin = messageSearchTwin(response);
  const said = await (await createWorld()).cli(['messages', 'search', ...args], '', { messageSearch: async () => twin });
  return { ...said, asked: twin.asked };
}

describe('writ messages search', () => {
  it('shows a table of what was found, and how to go on', async () => {
    const { code, out, err, asked } = await search(['plan', 'b', '--project', 'backend'], { results: [A_MESSAGE], next_cursor: 's1:i7' });
    expect({ code, asked }).toEqual({ code: 0, asked: [{ bodies: false, text: 'plan b', project_id: 1, limit: 20 }] });
    const [head = '', row = ''] = out.split('\n');
    expect(head.split(/ {2,}/)).toEqual(['ID', 'SENT', 'FROM', 'IMPORTANCE', 'THREAD', 'SCORE', 'SUBJECT']);
    expect(row).toContain('2026-01-01 00:00:00  BlueLake  high');
    expect(err).toContain('--cursor s1:i7');
  });

  it('shows the beginning of a thread that is named by a digest, and all of it in JSON', async () => {
    const thread_id = `sha256:${'ab'.repeat(32)}`;
    const response = { results: [{ ...A_MESSAGE, thread_id }] };
    const { out } = await search(['plan'], response);
    expect(out.split('\n')[1]).toContain('  sha256:abababababab…  ');
    expect((await search(['plan', '--json'], response)).out).toContain(thread_id);
  });

  it('means by its options what the contract says', { tags: ['MS-001'] }, async () => {
    const args = ['x', '--product', 'suite', '--from', 'A', '--to', 'B', '--thread', 't', '--importance', 'high,low', '--no-ack', '--since', '2026-01-02'];
    const more = [
      '--until',
      '2026-01-02',
      '--sort',
      'recency',
      '--mode',
      'hybrid',
      '--min-score',
      '0.5',
      '--limit',
      '5',
      '--offset',
      '2',
      '--as',
      'C',
      '--explain',
    ];
    expect((await search([...args, ...more])).asked).toEqual([
      {
        bodies: false,
        text: 'x',
        product_id: 9,
        sender_name: 'A',
        recipient_name: 'B',
        thread_id: 't',
        importance: ['low', 'high'],
        ack_required: false,
        time_range: { min_ts: 1_767_312_000_000_000, max_ts: 1_767_398_399_999_999 },
        ranking: 'recency',
        mode: 'hybrid',
        min_score: 0.5,
        limit: 5,
        offset: 2,
        scope: { caller_scoped: { caller_agent: 'C' } },
        explain: true,
      },
    ]);
  });

  it('answers the whole response with --json', async () => {
    expect((await search(['plan', '--json'])).lines).toEqual([{ results: [A_MESSAGE] }]);
  });

  it('says how it was searched in lines that a person can read', async () => {
    const explain = { ...EXPLAIN_SAMPLE, requested_mode: 'hybrid' as const, sql: 'SELECT 1\n  FROM x', timing: { total_us: 1234, lexical_us: 900 } };
    const { out } = await search(['plan', '--explain'], { results: [A_MESSAGE], explain });
    expect(out).toContain('lexical instead of hybrid: there are no vectors');
    expect(out).toMatch(/time +1\.23 ms \(lexical 0\.90 ms\)/);
    expect(out).toMatch(/sql +SELECT 1 FROM x/);
  });

  it('says that nothing was found, and what to try', async () => {
    const { code, out, err } = await search(['zebra'], {
      results: [],
      guidance: { summary: 'none', suggestions: [{ kind: 'simplify_query', label: 'Use fewer words' }] },
      diagnostics: { degraded: true, fallback_mode: 'search_index_absent', remediation_hints: ['import messages'] },
    });
    expect({ code, out }).toEqual({ code: 0, out: 'nothing found\n' });
    expect(err).toContain('Use fewer words');
    expect(err).toContain('search_index_absent: import messages');
  });

  it('writes no control character of a message to the terminal', async () => {
    const { out } = await search(['x'], { results: [{ ...A_MESSAGE, title: 'a\u001b[2Jb\nc' }] });
    expect(out).toContain('a\\u001b[2Jb\\u000ac');
  });

  it.each([
    [['--importance', 'huge'], '--importance'],
    [['--since', 'monday'], '--since'],
    [['--since', '2026-01-03', '--until', '2026-01-02'], '--since'],
    [['--sort', 'size'], '--sort'],
    [['--limit', '0'], '--limit'],
    [['--min-score', '2'], '--min-score'],
    [['--mode', 'magic'], '--mode'],
  ])('refuses %j with exit code 2 and the name of the option', async (args, option) => {
    const { code, err, asked } = await search(['x', ...args]);
    expect({ code, asked }).toEqual({ code: 2, asked: [] });
    expect(err).toContain(option);
  });

  it('refuses a project that there is not with exit code 1', async () => {
    const { code, err } = await search(['x', '--project', 'nowhere']);
    expect(code).toBe(1);
    expect(err).toContain('--project');
  });
});
