import { describe, expect, it } from 'vitest';
import { highlight, termsOf } from '../../../../../src/surfaces/tui/text/highlight.ts';

const hits = (line: string, query: string): string[] =>
  highlight(line, termsOf(query))
    .filter(({ hit }) => hit)
    .map(({ text }) => text);

describe('text on the screen', () => {
  it('marks words in other forms, with other marks and by their beginning', () => {
    expect(hits('The migrations migrated; migration done', 'migration')).toEqual(['migrations', 'migrated', 'migration']);
    expect(hits('a Café, two cafés', 'cafe')).toEqual(['Café', 'cafés']);
    expect(hits('idempotent idempotency ide', 'idempot*')).toEqual(['idempotent', 'idempotency']);
    expect(hits('locks and clocks', 'lock')).toEqual(['locks']);
  });

  it('does not mark operators, nor what was not to be found', () => {
    expect(hits('certificate and mTLS not OR', 'certificate NOT mTLS OR x')).toEqual(['certificate']);
  });
});
