import { describe, expect, it } from 'vitest';
import { transition } from '../../../../../src/content-search/ngram-index/safety/transition.ts';
import type { Trigger } from '../../../../../src/content-search/ngram-index/safety/triggers.ts';
import type { IndexState } from '../../../../../src/core/ports/index.ts';
import { EXPECTED, EXPECTED_ACTIONS, ONLY } from '../../../../fixtures/index-safety/expected.ts';
import { KINDS, RECORDS, STATES, trigger } from './cases.ts';

const cells = (text: string): string[][] =>
  text
    .trim()
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()));
const [header = [], ...lines] = cells(EXPECTED);
const actions = new Map(cells(EXPECTED_ACTIONS).map(([name = '', words = '']) => [name, words]));
const only = new Map(cells(ONLY).map(([name, state, words = '']) => [`${name} ${state}`, words]));

/** `KIND@now` and `KIND+hidden`. */
function triggerOf(name: string): Trigger {
  const [kind, now] = name.replace('+hidden', '').split('@');
  const found = KINDS.find((known) => known === kind);
  if (found === undefined) throw new Error(`no trigger ${name}`);
  return trigger(found, { nowMs: Number(now ?? 0), hidingErrors: name.endsWith('+hidden') ? 2 : 0 });
}

function told(name: string, state: IndexState): string {
  const before = RECORDS[state];
  const { next, rows } = transition(before, [triggerOf(name)]);
  if (rows.length === 0) return next === before ? '-' : 'changed without a row';
  if (STAYS.has(name) || (name === 'WATCHER_DOWN' && (state === 'ABSENT' || state === 'CORRUPT'))) return next.state === state ? 'stays' : next.state;
  return next.reason === null ? next.state : `${next.state}/${next.reason}`;
}

const STAYS = new Set(['WATCHER_STARTED', 'STAT_LEVEL_CHOSEN', 'ACCESSED']);

describe('every trigger in every state', () => {
  it('is in the expectation', () => {
    expect(header.slice(1, 7)).toEqual(STATES);
    expect([...new Set(lines.map(([name = '']) => name.replace(/[@+].*/, '')))].sort()).toEqual([...KINDS].sort());
    expect(lines.map(([name]) => name)).toEqual([...actions.keys()]);
  });

  for (const [name = '', ...expected] of lines) {
    const row = expected[6] ?? '';
    it(`${name} leads where the specification says (${row})`, () => {
      expect(STATES.map((state) => told(name, state))).toEqual(expected.slice(0, 6));
    });

    it(`${name} asks for what the specification says (${row})`, () => {
      for (const [i, state] of STATES.entries()) {
        const wanted = expected[i] === '-' ? '' : (only.get(`${name} ${state}`) ?? actions.get(name));
        expect(transition(RECORDS[state], [triggerOf(name)]).actions.join(' '), state).toBe(wanted);
      }
    });
  }
});
