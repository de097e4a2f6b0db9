import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig, unknownSearchEngine } from '../../../config/load.ts';

describe('SEARCH_ENGINE', () => {
  let dataDir: string;
  beforeAll(() => {
    dataDir = mkdtempSync(path.join(tmpdir(), 'writ-engine-'));
    writeFileSync(path.join(dataDir, 'writ.toml'), '[messages]\nengine = "hybrid"\n');
  });
  afterAll(() => rmSync(dataDir, { recursive: true }));

  const load = (word: string | undefined) => loadConfig({ dataDir, env: { SEARCH_ENGINE: word } });

  it.each([
    [undefined, 'hybrid'],
    ['', 'hybrid'],
    [' FTS5 ', 'fts5'],
    ['tantivy', 'tantivy'],
    ['Shadow', 'shadow'],
    ['hybrid', 'hybrid'],
    ['lucene', 'hybrid'],
  ])('%j wins over the setting where it is a state, and else counts as if it were not there', { tags: ['MS-016'] }, (word, engine) => {
    expect(load(word).config.messages.engine).toBe(engine);
  });

  it('is named as the source of what it said', () => {
    expect(load('fts5').sources.get('messages.engine')).toEqual({ layer: 'environment', place: 'SEARCH_ENGINE' });
    expect(load('lucene').sources.get('messages.engine')?.layer).toBe('file');
  });

  it('tells a word that is no state', () => {
    expect([' Lucene', 'fts5', '', undefined].map((word) => unknownSearchEngine({ SEARCH_ENGINE: word }))).toEqual(['lucene', undefined, undefined, undefined]);
  });
});
