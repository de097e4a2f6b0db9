import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { QueryExplain } from '../../../../../src/contracts/index.ts';
import { cells } from '../../../../../src/surfaces/tui/text/cells.ts';
import { tuiRig } from '../../../../support/tui.ts';

const KEYS = 'tab shift+tab enter up down pageup pagedown home end escape / d D i a s S t p m x n r e ? g G j k left right backspace type:é type:lock'.split(
  ' ',
);

describe('the screen of message search', () => {
  it('shows query, facets, results, preview and keys at 80x24', async () => {
    const rig = await tuiRig(undefined, 'sqlite locked');
    await rig.keys('enter');
    const lines = rig.lines();
    expect(lines).toHaveLength(23);
    expect(lines[0]).toMatch(/^Writ · message search +\d+ results? · fts5 · 0\.8 ms$/);
    expect(lines[1]).toContain('Search: sqlite locked');
    expect(lines.slice(2, 4).join(' ')).toMatch(/Kind messages.*Imp any.*Ack any.*Sort relevance.*Thread any.*Scope everywhere.*Mode auto/);
    expect(lines.find((line) => line.startsWith('› '))).toMatch(/^› 2026-06-\d\d .*QuietRiver.*sqlite: database is locked.*br-107/);
    expect(lines.join('\n')).toContain('#71 · from QuietRiver');
    expect(lines.at(-1)).toContain('q quit');
  });

  it('has lines of exactly the width and number of the terminal, whatever is pressed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 40, max: 200 }),
        fc.integer({ min: 12, max: 60 }),
        fc.array(fc.constantFrom(...KEYS), { maxLength: 12 }),
        async (columns, rows, keys) => {
          const rig = await tuiRig({ columns, rows });
          await rig.keys(...keys);
          const lines = rig.lines();
          expect(lines).toHaveLength(rows - 1);
          expect(lines.filter((line) => cells(line) !== columns)).toEqual([]);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('says so where the terminal is too small', async () => {
    const rig = await tuiRig({ columns: 30, rows: 10 });
    expect(rig.lines()).toHaveLength(1);
  });

  it.each(['semantic', 'hybrid', 'hybrid+rerank'])('never lets mode %s look like success where it is not there', { tags: ['MS-128'] }, async (mode) => {
    const rig = await tuiRig(undefined, 'lock');
    await rig.keys('enter', 'm', 'm');
    for (let at = 0; !rig.lines().join('\n').includes(`Mode ${mode} `) && at < 4; at += 1) await rig.keys('m');
    const text = rig.lines().join(' ').replace(/\s+/g, ' ');
    expect(text).toContain(`Mode ${mode} `);
    expect(text).toContain(`⚠ Degraded: ${mode.replace('+', '_')} is not available, searched lexical (fts5): no vectors here`);
  });

  it('tells hints of the search: fallback, guidance, filters that were not used', async () => {
    const rig = await tuiRig();
    rig.play.answer = {
      results: [],
      diagnostics: { degraded: true, fallback_mode: 'engine_error', remediation_hints: ['run writ doctor'] },
      assistance: { query_text: 'x', applied_filter_hints: [{ field: 'from', value: 'Alice' }] },
      guidance: { summary: 'No results', suggestions: [{ kind: 'simplify_query', label: 'use fewer words' }] },
    };
    await rig.keys('type:from:Alice x', 'enter');
    expect(rig.lines().join('\n')).toContain('⚠ Degraded: engine_error');
    expect(rig.lines().join('\n')).toContain('more: e');
    await rig.keys('e');
    const text = rig.lines().join('\n');
    expect(text).toContain('run writ doctor');
    expect(text).toContain('Not used as a filter, only as words: from:Alice');
    expect(text).toContain('Try: use fewer words');
  });

  it('hints at an open quotation mark and at operators alone while one types', async () => {
    const rig = await tuiRig();
    await rig.keys('type:"open');
    expect(rig.lines().join('\n')).toContain('A quotation mark is open.');
    await rig.keys('escape', 'type:AND or');
    expect(rig.lines().join('\n')).toContain('alone they find nothing');
  });

  it('lets nothing that a message says act on the terminal', async () => {
    const rig = await tuiRig();
    rig.play.answer = {
      results: [
        { doc_kind: 'message', id: 1, title: 'a\u001b[2Jb\u202e', body: '\u001b]0;owned\u0007\r\n\u009b31mred\tx', thread_id: '\u0000t', redacted: false },
      ],
    };
    await rig.keys('type:x', 'enter');
    const text = rig.lines().join('');
    expect(text).not.toMatch(/[\p{Cc}\u202e]/u);
    expect(text).toContain('\\u001b[2Jb');
  });

  it('opens a long message at its first match and scrolls in it', async () => {
    const rig = await tuiRig();
    const body = Array.from({ length: 60 }, (_, at) => (at === 40 ? 'here is the needle' : `line ${at}`)).join('\n');
    rig.play.answer = { results: [{ doc_kind: 'message', id: 1, title: 'long', body, redacted: false }] };
    await rig.keys('type:needle', 'enter', 'enter');
    expect(rig.lines().join('\n')).toContain('here is the needle');
    await rig.keys('home');
    expect(rig.lines().join('\n')).toMatch(/line 0 /);
    await rig.keys('end');
    expect(rig.lines().join('\n')).toMatch(/line 59 /);
  });

  it('lists all its keys at 80x24, and any key goes back', async () => {
    const rig = await tuiRig();
    await rig.keys('tab', '?');
    const text = rig.lines().join('\n');
    expect(text).toContain('Tab, Shift-Tab: query, results, preview');
    expect(text).toContain('d i a s t p m: next value of a facet');
    expect(text).toContain('Ctrl-C anywhere: quit');
    await rig.keys('x');
    expect(rig.lines().join('\n')).not.toContain('Ctrl-C anywhere: quit');
  });

  it('scrolls how it was searched to its end and not further', async () => {
    const rig = await tuiRig();
    const sql = Array.from({ length: 400 }, (_, at) => `word${at}`).join(' ');
    rig.play.answer = { explain: { ...(rig.session.state().found?.answer.explain as QueryExplain), sql } };
    await rig.keys('tab', 'r', 'e');
    expect(rig.lines().join('\n')).toContain('method      fts5');
    await rig.keys(...Array.from({ length: 9 }, () => 'pagedown'));
    expect(rig.lines().join('\n')).toContain('word399');
    await rig.keys(...Array.from({ length: 9 }, () => 'pageup'));
    expect(rig.lines().join('\n')).toContain('method      fts5');
  });
});
