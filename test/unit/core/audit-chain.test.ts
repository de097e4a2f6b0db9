import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createChainCheck, GENESIS, type Link, lineOf, readLine, STARTED, sealRecord } from '../../../src/core/audit-chain.ts';
import type { OperatorAction } from '../../../src/core/ports/audit.ts';

const action = fc.record<OperatorAction>(
  {
    surface: fc.constantFrom('http', 'board', 'cli'),
    who: fc.string({ maxLength: 20, unit: 'grapheme' }),
    action: fc.constantFrom('task.retry', 'vault.purge', 'key.create'),
    subject: fc.string({ maxLength: 40, unit: 'binary' }),
    outcome: fc.constantFrom('asked', 'done', 'refused'),
    detail: fc.dictionary(
      fc.stringMatching(/^[a-z]{1,8}$/).filter((key) => key !== 'constructor'),
      fc.oneof(fc.string({ maxLength: 8, unit: 'grapheme' }), fc.integer(), fc.boolean()),
      { maxKeys: 4 },
    ),
  },
  { requiredKeys: ['surface', 'who', 'action', 'subject', 'outcome'] },
);
const actions = fc.array(action, { minLength: 2, maxLength: 8 });

function linesOf(all: readonly OperatorAction[]): Buffer[] {
  let link: Link = GENESIS;
  return all.map((one, at) => {
    const record = sealRecord(link, one, 1_700_000_000_000 + at);
    link = record;
    return Buffer.from(lineOf(record).slice(0, -1));
  });
}

/** The first fault, or the number of the last record as the head would have to name it. */
function verdict(lines: readonly Buffer[]): string | number {
  const check = createChainCheck();
  for (const line of lines) {
    const why = check.take(line);
    if (why !== undefined) return why;
  }
  return check.link.n;
}

describe('the chain of the audit log', () => {
  it('takes what was sealed, whatever the words', () => {
    fc.assert(fc.property(actions, (all) => verdict(linesOf(all)) === all.length));
  });

  it('finds any single changed byte', () => {
    fc.assert(
      fc.property(actions, fc.nat(), fc.nat(), fc.integer({ min: 1, max: 255 }), (all, which, where, by) => {
        const lines = linesOf(all);
        const line = lines[which % lines.length] as Buffer;
        const at = where % line.length;
        line[at] = (line[at] as number) ^ by;
        return typeof verdict(lines) === 'string';
      }),
      { numRuns: 400 },
    );
  });

  it('finds a removed record, and leaves only a missing end to the head', () => {
    fc.assert(
      fc.property(actions, fc.nat(), (all, which) => {
        const lines = linesOf(all);
        const at = which % lines.length;
        const last = at === lines.length - 1;
        lines.splice(at, 1);
        return last ? verdict(lines) === all.length - 1 : typeof verdict(lines) === 'string';
      }),
    );
  });

  it('finds swapped, doubled and inserted records', () => {
    fc.assert(
      fc.property(actions, fc.nat(), fc.nat(), action, (all, one, other, extra) => {
        const lines = linesOf(all);
        const [a, b] = [one % lines.length, other % lines.length];
        const swapped = lines.map((line, at) => (at === a ? (lines[b] as Buffer) : at === b ? (lines[a] as Buffer) : line));
        const doubled = lines.toSpliced(b, 0, lines[a] as Buffer);
        const foreign = linesOf([extra])[0] as Buffer;
        const inserted = lines.toSpliced(b, 0, foreign);
        const same = foreign.equals(lines[0] as Buffer);
        return (a === b || typeof verdict(swapped) === 'string') && typeof verdict(doubled) === 'string' && (same || typeof verdict(inserted) === 'string');
      }),
    );
  });

  it('does not take another spelling of the same record', () => {
    const [line] = linesOf([{ surface: 'cli', who: 'a', action: 'task.retry', subject: 't', outcome: 'asked' }]);
    const text = String(line);
    expect(readLine(Buffer.from(text))).toMatchObject({ n: 1, who: 'a' });
    for (const other of [
      text.replace(',', ', '),
      text.replace('"a"', '"\\u0061"'),
      text.replace('"v":1', '"v":1,"v":1'),
      text.replace('"n":1', '"n":1.0'),
      `${text} `,
    ]) {
      expect([other, readLine(Buffer.from(other))]).toEqual([other, expect.any(String)]);
    }
  });

  it('covers lines of an older version by the first record', () => {
    const old = [1, 2].map((at) => Buffer.from(JSON.stringify({ at: '2026-01-01T00:00:00Z', what: 'vault.purge', name: `d-${at}` })));
    const check = createChainCheck();
    for (const line of old) expect(check.take(line)).toBeUndefined();
    const detail = { lines: check.unchained, sha256: check.unchainedHash() };
    const started = sealRecord(GENESIS, { surface: 'cli', who: 'writ', action: STARTED, subject: 'x', outcome: 'done', detail }, 0);
    const first = Buffer.from(lineOf(started).slice(0, -1));
    const stranger = linesOf([{ surface: 'cli', who: 'a', action: 'task.retry', subject: 't', outcome: 'asked' }]);
    expect(verdict([...old, first])).toBe(1);
    for (const changed of [[...old.slice(1), first], [first], [...old.toReversed(), first], [...old, ...stranger], [first, ...old], [...old, first, ...old]]) {
      expect(verdict(changed)).toEqual(expect.any(String));
    }
  });

  it('refuses an action that fits no line, and mends half a surrogate pair', () => {
    const retry = (subject: string): OperatorAction => ({ surface: 'cli', who: 'a', action: 'task.retry', subject, outcome: 'asked' });
    expect(() => sealRecord(GENESIS, retry('x'.repeat(70_000)), 0)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
    expect(() => sealRecord(GENESIS, { ...retry('x'), detail: { n: Number.NaN } }, 0)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
    expect(sealRecord(GENESIS, retry('\ud800x'), 0).subject).toBe('\ufffdx');
  });
});
