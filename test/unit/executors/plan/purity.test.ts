import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../../../config/package.ts';

const FOLDER = path.join(packageRoot(), 'src', 'executors', 'plan');
const SOURCES = readdirSync(FOLDER).map((name) => [name, readFileSync(path.join(FOLDER, name), 'utf8')] as const);

/** What of the outside the core is made of: words, JSON, its canonical form and hash, a result, and a parser. */
const OUTSIDE = [
  '../../contracts/index.ts',
  '../../core/canonical-json.ts',
  '../../core/code-points.ts',
  '../../core/failure-cause.ts',
  '../../core/hash.ts',
  '../../core/json.ts',
  '../../core/ports/plan.ts',
  '../../core/result.ts',
  '../../core/union-problems.ts',
  '@marcbachmann/cel-js',
  'zod',
];

/** What needs no import to reach the outside, the clock or chance. */
const GLOBALS = new RegExp(
  String.raw`\b(?:${[
    ...['fetch', 'WebSocket', 'EventSource', 'MessageChannel', 'BroadcastChannel', 'navigator', 'process', 'console', 'performance', 'crypto'],
    ...['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'globalThis', 'global', 'require', 'eval', 'Function', 'Date', 'Math.random'],
  ].join('|')})\b`,
);

/** Every source of ours outside of the folder, with its text. */
const OTHERS = ['src', 'queues', 'processors', 'config'].flatMap((folder) =>
  readdirSync(path.join(packageRoot(), folder), { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(folder, name))
    .filter((name) => name.endsWith('.ts') && !name.startsWith(path.join('src', 'executors', 'plan')))
    .map((name) => [name, readFileSync(path.join(packageRoot(), name), 'utf8')] as const),
);

describe('the plan core', () => {
  it('is the one plan executor, between those who wire it and ports of its tools; what may exist around it is around it', {
    tags: ['PE-03', 'PE-04', 'PE-63'],
  }, () => {
    const users = OTHERS.filter(([, text]) => /(?:from |import\()'[^']*executors\/plan\//.test(text)).map(([name]) => name);
    expect(users.sort()).toEqual(['plan/outline', 'plan/preview', 'roles/kernel', 'roles/wire-plans'].map((name) => path.join('src', 'bin', `${name}.ts`)));
    const starters = [...SOURCES, ...OTHERS].filter(([, text]) => /export function startPlan\b/.test(text)).map(([name]) => name);
    expect(starters).toEqual(['start-plan.ts']);
  });

  it('has nothing to reach a file, a network, a queue, a schedule, a log or another process with', { tags: ['PE-40', 'PE-41', 'PE-48', 'PE-62'] }, () => {
    const imports = new Set(SOURCES.flatMap(([, text]) => [...text.matchAll(/ from '([^']+)'/g)].map(([, from = '']) => from)));
    expect([...imports].filter((from) => !from.startsWith('./')).sort()).toEqual(OUTSIDE);
    for (const [name, text] of SOURCES) {
      expect([name, /\bimport\(|\bawait\b|\basync\b|\bPromise\b/.test(text)]).toEqual([name, false]);
      expect([name, GLOBALS.exec(text)?.[0]]).toEqual([name, undefined]);
    }
  });

  it('names no tool and no business of anybody', { tags: ['PE-02', 'PE-39'] }, () => {
    for (const [name, text] of SOURCES) expect([name, /slack|openai|drive|monday|FILE_|SEARCH_|TOOL_CALL|writ[.]/i.exec(text)?.[0]]).toEqual([name, undefined]);
  });

  it('keeps nothing between two runs but what a value itself determines', { tags: ['PE-45', 'PE-49'] }, () => {
    // `known` of measure.ts holds the sizes of frozen values, by identity.
    const state = SOURCES.flatMap(([name, text]) =>
      [...text.matchAll(/^(?:let |const \w+ = new (?:Map|WeakMap)|const \w+: \w+\[\] = \[\])/gm)].map(([what]) => `${name}: ${what}`),
    );
    expect(state).toEqual([`measure.ts: ${'const known = new WeakMap'}`]);
  });
});
