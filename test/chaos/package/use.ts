import { copyFileSync, existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../../config/package.ts';
import { ran } from './ran.ts';

export interface FirstUse {
  readonly checks: Readonly<Record<string, boolean>>;
  readonly seconds: Readonly<Record<string, number>>;
  /** The end of what each command said that did not do as it should. */
  readonly said: readonly string[];
}

const PROGRAM = `import { WritClient } from 'writ/client';
import { openContentSearch } from 'writ/content-search';
import manifest from 'writ/contracts/task-manifest.schema.json' with { type: 'json' };
const tool = await openContentSearch({ roots: [process.argv[2]] });
const found = await tool.search({ pattern: 'consumer', fixed_strings: true, glob: ['package.json'] });
await tool.close();
console.log(JSON.stringify([typeof WritClient, manifest.$id, found.ok && found.answer.count > 0]));
`;

/** What a stranger does first: `writ doctor`, `writ up --once`, the client with its types, the search library, a contract. */
export async function firstUse(directory: string): Promise<FirstUse> {
  const data = { WRIT_DATA_DIR: path.join(directory, 'data') };
  const writ = (...words: string[]) => ran('npx', ['--no-install', 'writ', ...words], directory, data);
  copyFileSync(path.join(packageRoot(), 'examples/client/typed.ts'), path.join(directory, 'typed.ts'));
  writeFileSync(path.join(directory, 'program.mjs'), PROGRAM);

  const doctor = await writ('doctor');
  const up = await writ('up', '--once');
  const program = await ran(process.execPath, ['program.mjs', directory], directory);
  const types = await ran(process.execPath, [path.join(packageRoot(), 'node_modules/typescript/bin/tsc'), ...TSC, 'typed.ts'], directory);
  const tracing = await writ('--set', 'tracing.enabled=true', 'worker');
  const all = { doctor, up, program, types, tracing };
  const checks = {
    // Nothing runs yet: that, and nothing else, is missing.
    doctor: doctor.code === 3 && [...doctor.out.matchAll(/^FAIL +([^:]+):/gm)].every(([, what = '']) => ['Redis', 'queues', 'kernel'].includes(what)),
    registries: /^ok +registries: [1-9]\d* tools/m.test(doctor.out),
    backend: /^ok +backends: .*rg@/m.test(doctor.out),
    tour: up.code === 0 && /^(\d+) of \1 as promised\.$/m.test(up.out),
    program: program.out.trim() === '["function","urn:writ:task-manifest:1",true]',
    types: types.code === 0,
    // What is not installed is said, with the command that installs it.
    tracing: tracing.code === 3 && /npm install @opentelemetry\/.* \(PACKAGE_MISSING\)/.test(tracing.err),
    pages: PAGES.every((file) => existsSync(path.join(directory, 'node_modules/writ', file))),
    defaults: existsSync(path.join(directory, 'node_modules/writ/config/writ.toml')),
  };
  return {
    checks,
    seconds: Object.fromEntries(Object.entries(all).map(([name, { seconds }]) => [name, seconds])),
    said: Object.entries(all)
      .filter(([name]) => checks[name === 'up' ? 'tour' : (name as keyof typeof checks)] === false)
      .map(([name, { code, out, err }]) => `${name} ended with ${code}: ${out.slice(-2000)}${err.slice(-2000)}`),
  };
}

const PAGES = [
  'README.md',
  'docs/tutorial.md',
  'docs/runbooks/WritDown.md',
  'grafana/dashboards/overview.json',
  'examples/raw-producer.mjs',
  'docker-compose.yml',
];
const TSC = [
  ...['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--module', 'nodenext', '--moduleResolution', 'nodenext', '--target', 'es2023'],
  ...['--lib', 'es2023', '--types', 'node', '--typeRoots', path.join(packageRoot(), 'node_modules/@types')],
];
