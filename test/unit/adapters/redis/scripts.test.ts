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
      if (Number.isNaN(keys)) expect(perTask(code)).toEqual(documentedPerTask(header));
      // The clock is an argument, so that a script can be tested and replayed.
      expect(code).not.toMatch(/'TIME'|os\.|math\.random/);
    });
  }
});

/** Of a script for any number of tasks: its keys and arguments of each task, by place. */
function perTask(code: string): { keys: number; args: readonly number[]; each: number } {
  const args = [...new Set([...code.matchAll(/\bARGV\[at \+ (\d+)\]/g)].map((match) => Number(match[1])))].sort((a, b) => a - b);
  return { keys: Number(/#KEYS \/ (\d+)/.exec(code)?.[1]), args, each: Number(/\bEACH = \d+, (\d+)/.exec(code)?.[1]) };
}

function documentedPerTask(header: string): ReturnType<typeof perTask> {
  const lines = (after: string): number =>
    (
      header
        .split(after)[1]
        ?.split('\n\n')[0]
        ?.match(/^ {2}\w+ {2,}/gm) ?? []
    ).length;
  const each = lines('and of each task:');
  return { keys: lines('KEYS, of each task:'), args: Array.from({ length: each }, (_, index) => index + 1), each };
}
