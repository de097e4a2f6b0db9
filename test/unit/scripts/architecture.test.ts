import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { cruise, type IConfiguration, type ICruiseResult } from 'dependency-cruiser';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../../config/package.ts';

/** One file per line of the architecture: what it imports, and the rules that must speak. Each breaks one thing. */
const FORBIDDEN: readonly (readonly [file: string, imports: string, rule: string])[] = [
  ['src/contracts/a.ts', '../core/ok.ts', 'contracts-imports-only-lower-layers'],
  ['src/core/a.ts', '../lease/index.ts', 'core-imports-only-lower-layers'],
  ['src/core/b.ts', 'node:fs', 'pure-layers-do-no-io'],
  ['src/lease/a.ts', '../adapters/redis/ok.ts', 'executors-stay-off-the-wire'],
  ['src/lease/c.ts', 'node:fs', 'pure-layers-do-no-io'],
  ['src/executors/file/a.ts', '../search/index.ts', 'executors-do-not-know-each-other'],
  ['src/executors/file/b.ts', '../../lease/index.ts', 'executors-imports-only-lower-layers'],
  ['src/executors/file/c.ts', 'node:child_process', 'pure-layers-do-no-io'],
  ['src/executors/file/d.ts', 'bullmq', 'executors-uses-only-its-packages'],
  ['src/executors/file/e.ts', 'ioredis', 'executors-stay-off-the-wire'],
  ['src/executors/file/f.ts', 'fastify', 'executors-stay-off-the-wire'],
  ['src/executors/file/g.ts', 'pino', 'executors-stay-off-the-wire'],
  ['src/executors/file/h.ts', '../../adapters/redis/ok.ts', 'executors-imports-only-lower-layers'],
  ['src/executors/plan/a.ts', 'node:crypto', 'plan-core-is-pure'],
  ['src/executors/plan/b.ts', 'node:os', 'plan-core-is-pure'],
  ['src/executors/file/j.ts', '@marcbachmann/cel-js', 'expressions-belong-to-the-plan-core'],
  ['processors/j.ts', '../src/executors/plan/run.ts', 'src-executors-plan-has-one-door'],
  ['src/kernel/a.ts', '../../queues/ok.ts', 'kernel-imports-only-lower-layers'],
  ['src/adapters/memory/a.ts', '../../surfaces/cli/ok.ts', 'adapters-imports-only-lower-layers'],
  ['src/adapters/redis/b.ts', 'bullmq', 'adapters-uses-only-its-packages'],
  ['src/adapters/redis/d.ts', '../../data-dir/ok.ts', 'adapters-imports-only-lower-layers'],
  ['src/content-search/search/a.ts', '../../adapters/redis/ok.ts', 'contentSearch-imports-only-lower-layers'],
  ['src/content-search/search/b.ts', '../io/ok.ts', 'contentSearch-imports-only-lower-layers'],
  ['src/content-search/search/c.ts', 'node:fs', 'pure-layers-do-no-io'],
  ['src/content-search/io/a.ts', '../../messages/store/ok.ts', 'contentSearchIo-imports-only-lower-layers'],
  ['src/messages/search/a.ts', '../../adapters/redis/ok.ts', 'messages-imports-only-lower-layers'],
  ['src/messages/search/b.ts', '../store/ok.ts', 'messages-imports-only-lower-layers'],
  ['src/messages/store/a.ts', '../../content-search/io/ok.ts', 'messagesIo-imports-only-lower-layers'],
  ['src/data-dir/a.ts', '../surfaces/cli/ok.ts', 'dataDir-imports-only-lower-layers'],
  ['src/data-dir/b.ts', '../messages/store/ok.ts', 'dataDir-imports-only-lower-layers'],
  ['src/observability/a.ts', '../lease/index.ts', 'observability-imports-only-lower-layers'],
  ['src/surfaces/cli/a.ts', '../../../queues/ok.ts', 'surfaces-imports-only-lower-layers'],
  ['src/surfaces/cli/b.ts', '../../adapters/redis/ok.ts', 'surfaces-imports-only-lower-layers'],
  ['src/surfaces/cli/c.ts', 'node:child_process', 'processes-are-started-by-adapters'],
  ['src/surfaces/cli/e.ts', '../../messages/store/ok.ts', 'surfaces-imports-only-lower-layers'],
  ['src/surfaces/cli/f.ts', '../../data-dir/ok.ts', 'surfaces-imports-only-lower-layers'],
  ['src/bin/c.ts', 'node:child_process', 'processes-are-started-by-adapters'],
  ['src/bin/d.ts', 'execa', 'processes-are-started-by-adapters'],
  ['src/surfaces/client/a.ts', '../../contracts/index.ts', 'client-stands-alone'],
  ['src/surfaces/client/b.ts', 'node:fs', 'client-stands-alone'],
  ['queues/a.ts', '../processors/ok.ts', 'queues-imports-only-lower-layers'],
  ['queues/b.ts', '../src/executors/file/index.ts', 'queues-imports-only-lower-layers'],
  ['processors/a.ts', '../src/bin/ok.ts', 'nobody-imports-bin'],
  ['processors/b.ts', '../config/load.ts', 'only-bin-loads-settings'],
  ['processors/c.ts', '../config/schema.ts', 'schema-of-settings-has-few-readers'],
  ['processors/d.ts', '../test/support/ok.ts', 'nobody-imports-tests'],
  ['processors/h.ts', '../src/kernel/ok.ts', 'processors-imports-only-lower-layers'],
  ['processors/i.ts', '../src/lease/inner.ts', 'src-lease-has-one-door'],
  ['processors/e.ts', '../bench/ok.ts', 'nobody-imports-bench-or-scripts'],
  ['src/core/c.ts', './d.ts', 'no-cycles'],
  ['src/core/e.ts', './absent.ts', 'no-unknown-modules'],
  ['config/ok.ts', '../queues/ok.ts', 'config-imports-only-lower-layers'],
];

const ALLOWED: readonly (readonly [file: string, imports: string])[] = [
  ['src/core/f.ts', '../contracts/index.ts'],
  ['src/lease/b.ts', '../core/ok.ts'],
  ['src/executors/file/i.ts', './index.ts'],
  ['src/executors/plan/c.ts', '@marcbachmann/cel-js'],
  ['src/executors/plan/d.ts', '../../core/ok.ts'],
  ['src/kernel/b.ts', '../lease/index.ts'],
  ['src/adapters/redis/c.ts', 'ioredis'],
  ['src/surfaces/cli/d.ts', '../../observability/ok.ts'],
  ['queues/c.ts', '../config/schema.ts'],
  ['queues/d.ts', '../src/adapters/redis/ok.ts'],
  ['processors/f.ts', '../src/executors/file/index.ts'],
  ['processors/g.ts', 'bullmq'],
  ['src/bin/a.ts', '../../config/load.ts'],
  ['src/bin/b.ts', '../messages/store/ok.ts'],
  ['src/adapters/redis/e.ts', 'node:child_process'],
  ['src/adapters/redis/f.ts', 'execa'],
  ['src/content-search/io/b.ts', '../search/ok.ts'],
  ['src/content-search/io/c.ts', 'node:child_process'],
  ['src/messages/store/b.ts', '../../adapters/redis/ok.ts'],
  ['src/data-dir/c.ts', '../adapters/redis/ok.ts'],
  ['src/data-dir/d.ts', '../lease/index.ts'],
];

/** What is imported. */
const TARGETS = [
  ...['contracts', 'lease', 'executors/file', 'executors/search'].map((name) => `src/${name}/index.ts`),
  ...['core', 'kernel', 'observability', 'bin', 'adapters/redis', 'surfaces/cli', 'data-dir'].map((name) => `src/${name}/ok.ts`),
  ...[
    'src/executors/plan/run.ts',
    'src/content-search/io/ok.ts',
    'src/content-search/search/ok.ts',
    'src/messages/store/ok.ts',
    'src/lease/inner.ts',
    'queues/ok.ts',
    'processors/ok.ts',
    'config/load.ts',
    'config/schema.ts',
    'test/support/ok.ts',
    'bench/ok.ts',
  ],
];

const tree = mkdtempSync(path.join(os.tmpdir(), 'writ-layers-'));
const found = new Map<string, Set<string>>();

beforeAll(async () => {
  const write = (file: string, text: string) => {
    mkdirSync(path.dirname(path.join(tree, file)), { recursive: true });
    writeFileSync(path.join(tree, file), text);
  };
  for (const file of TARGETS) write(file, 'export const ok = 1;\n');
  for (const name of ['bullmq', 'ioredis', 'fastify', 'pino', 'execa', '@marcbachmann/cel-js']) {
    write(`node_modules/${name}/package.json`, JSON.stringify({ name, version: '1.0.0', main: 'index.js' }));
    write(`node_modules/${name}/index.js`, 'module.exports = {};\n');
  }
  // A type import counts like any other: it is knowledge of the other layer.
  for (const [index, [file, imports]] of [...FORBIDDEN, ...ALLOWED].entries())
    write(file, index % 2 === 0 ? `import type * as x from '${imports}';\nexport type X = typeof x;\n` : `import '${imports}';\n`);
  // The other half of a cycle; the rule speaks once per cycle.
  write('src/core/d.ts', "import './c.ts';\n");
  write(
    'package.json',
    JSON.stringify({ name: 'tree', dependencies: { bullmq: '1', ioredis: '1', fastify: '1', pino: '1', execa: '1', '@marcbachmann/cel-js': '1' } }),
  );

  const { forbidden, options } = createRequire(import.meta.url)(path.join(packageRoot(), '.dependency-cruiser.cjs')) as Required<IConfiguration>;
  const { tsConfig: _, ...rest } = options;
  const { output } = await cruise(
    ['src', 'queues', 'processors', 'config', 'bench', 'test'],
    { ...rest, ruleSet: { forbidden }, validate: true, baseDir: tree },
    rest.enhancedResolveOptions,
  );
  for (const { from, rule } of (output as ICruiseResult).summary.violations) found.set(from, (found.get(from) ?? new Set()).add(rule.name));
});
afterAll(() => rmSync(tree, { recursive: true }));

describe('the written architecture', () => {
  it.each(FORBIDDEN)('refuses that %s imports %s (%s)', (file, _imports, rule) => {
    expect([...(found.get(file) ?? [])]).toContain(rule);
  });

  it.each(ALLOWED)('allows that %s imports %s', (file) => {
    expect([...(found.get(file) ?? [])]).toEqual([]);
  });
});
