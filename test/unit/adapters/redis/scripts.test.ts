import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const FOLDER = new URL('../../../../src/adapters/redis/lua/', import.meta.url);
const FILES = readdirSync(FOLDER);

describe('the Lua scripts', () => {
  for (const file of FILES) {
    it(`${file} says what it is for, and uses exactly the keys and arguments that it documents`, () => {
      const text = readFileSync(new URL(file, FOLDER), 'utf8');
      const [, header = '', code = ''] = /^--\[\[\n([\s\S]*?)\]\]\n([\s\S]*)$/.exec(text) ?? [];
      const used = (from: string, name: string): number[] =>
        [...new Set([...from.matchAll(new RegExp(`\\b${name}\\[(\\d+)\\]`, 'g'))].map((match) => Number(match[1])))].sort((a, b) => a - b);
      expect(header.trim().length).toBeGreaterThan(50);
      const keys = Number(/-(\d+)\.lua$/.exec(file)?.[1]);
      expect(used(header, 'KEYS')).toEqual(Array.from({ length: keys }, (_, index) => index + 1));
      expect(used(code, 'KEYS')).toEqual(used(header, 'KEYS'));
      expect(used(code, 'ARGV')).toEqual(used(header, 'ARGV'));
      // The clock is an argument, so that a script can be tested and replayed.
      expect(code).not.toMatch(/'TIME'|os\.|math\.random/);
    });
  }
});
