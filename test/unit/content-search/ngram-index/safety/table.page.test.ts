import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ACTIONS } from '../../../../../src/content-search/ngram-index/safety/actions.ts';
import { SEVERITY, UNCERTAIN_REASONS } from '../../../../../src/content-search/ngram-index/safety/states.ts';
import { ROWS, type Row } from '../../../../../src/content-search/ngram-index/safety/table.ts';
import { TRIGGER_CLASSES } from '../../../../../src/content-search/ngram-index/safety/triggers.ts';
import { STATES } from './cases.ts';

const page = readFileSync(new URL('../../../../../docs/index-safety.md', import.meta.url), 'utf8');
const words = (text: string): string[] => [...text.matchAll(/`([A-Z_]+)`/g)].map(([, word = '']) => word);
const cells = (line: string): string[] => line.split('|').map((cell) => cell.trim());
const described = page
  .split('\n')
  .filter((line) => /^\| (LSI-ST|W)-/.test(line))
  .flatMap((line) => {
    const [, id = '', triggers = '', from = '', when = '', to = '', reason = ''] = cells(line);
    return words(triggers).map((trigger) => ({ id, trigger, from, when, to, reason }));
  });

const FROM: Readonly<Record<string, readonly string[]>> = { 'all six': STATES, any: STATES.filter((state) => state !== 'DISABLED') };

describe('docs/index-safety.md', () => {
  it('has the rows of the table, in its order', () => {
    const rows = (ROWS as readonly Row[]).map(({ id, on, from, to }) => ({ id, trigger: on, from: [...from].sort().join(), to: to === 'SAME' ? '=' : to }));
    expect(rows).toEqual(described.map(({ id, trigger, from, to }) => ({ id, trigger, from: [...(FROM[from] ?? from.split(', '))].sort().join(), to })));
  });

  it('says under a condition what the table has under a condition, and the same reasons', () => {
    for (const [i, { id, on, when, to, reason }] of (ROWS as readonly Row[]).entries()) {
      const told = described[i];
      // "otherwise" is the rest after a row with a condition.
      expect(when !== undefined, `${id} ${on}`).toBe(told?.when !== '' && told?.when !== 'otherwise');
      const shown = reason === 'KEEP' ? 'kept' : (reason ?? (to === 'UNCERTAIN' ? 'kept' : undefined));
      if (shown !== undefined) expect(told?.reason.startsWith(shown) === true || told?.reason === 'the same, by P4', `${id} ${on}: ${told?.reason}`).toBe(true);
      else expect(['', 'none']).toContain(told?.reason);
    }
  });

  it('has triggers, severities, reasons and actions in their order', () => {
    const listed = page.slice(page.indexOf('- **P2**'), page.indexOf('- **P3**'));
    expect(words(listed)).toEqual(Object.keys(TRIGGER_CLASSES));
    expect(words(page.slice(page.indexOf('- **P1**'), page.indexOf('- **P2**')))).toEqual(SEVERITY);
    const reasons = page.slice(page.indexOf('- **P4**'), page.indexOf('In `COMPLETE` there is no reason'));
    expect(words(reasons).slice(1)).toEqual(Object.keys(UNCERTAIN_REASONS));
    const actions = page.slice(page.indexOf('In this order: `STOP_BUILD'), page.indexOf('What takes away'));
    expect(words(actions)).toEqual(Object.keys(ACTIONS));
  });
});
