import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { packageRoot } from '../../../config/package.ts';

const RULES = [
  ['no-floating-promises', 'export function f(work: () => Promise<void>): void { work(); }'],
  ['no-misused-promises', 'export function f(work: () => Promise<void>): void { [1].forEach(async () => { await work(); }); }'],
  ['switch-exhaustiveness-check', "export function f(kind: 'a' | 'b'): number { switch (kind) { case 'a': return 1; } return 0; }"],
  ['only-throw-error', "export function f(): never { throw 'text'; }"],
  ['return-await', 'export async function f(work: () => Promise<void>): Promise<void> { try { return work(); } finally { f.length; } }'],
  ['no-unsafe-assignment', 'export function f(text: string): string { const value = JSON.parse(text); return String(value); }'],
] as const;

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'writ-lint-'));
  writeFileSync(path.join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions: { strict: true, target: 'es2023', types: [] }, include: ['*.ts'] }));
});
afterEach(() => rmSync(directory, { recursive: true }));

/** What the linter says of a folder, with the settings of this project. */
function lint(settings = path.join(packageRoot(), '.oxlintrc.json')): string {
  try {
    const args = ['--deny-warnings', '-f', 'unix', '-c', settings, '.'];
    return execFileSync(path.join(packageRoot(), 'node_modules', '.bin', 'oxlint'), args, { cwd: directory, encoding: 'utf8' });
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}

it('finds each mistake that only types show, in exactly the file that makes it', () => {
  for (const [rule, text] of RULES) writeFileSync(path.join(directory, `${rule}.ts`), `${text}\n`);
  writeFileSync(path.join(directory, 'sound.ts'), 'export async function f(work: () => Promise<void>): Promise<void> { await work(); }\n');
  const found = [...lint().matchAll(/^([\w-]+)\.ts:\d+:\d+: .*typescript\(([\w-]+)\)\]$/gm)].map(([, file, rule]) => [file, rule]);
  expect(found.sort()).toEqual(RULES.map(([rule]) => [rule, rule]).sort());
});

/** What the plan core may not touch, each in a file of its own. */
const IMPURE = {
  clock: 'export const f = (): number => Date.now();',
  newDate: 'export const f = (): string => new Date(0).toISOString();',
  duration: 'export const f = (): number => performance.now();',
  temporal: 'export const f = (): unknown => Temporal;',
  randomness: 'export const f = (): number => Math.random();',
  taken: 'export const { random } = Math;',
  secret: 'export const f = (): string => crypto.randomUUID();',
  process: 'export const f = (): string => process.platform;',
  environment: 'export const f = (): unknown => globalThis;',
  host: 'export const f = (): unknown => global;',
  machine: 'export const f = (): unknown => navigator;',
  module: "export const f = (): unknown => require('node:os');",
  locale: 'export const f = (): unknown => new Intl.Collator();',
  order: "export const f = (text: string): number => text.localeCompare('a');",
  words: 'export const f = (text: string): string => text.toLocaleUpperCase();',
  smallWords: 'export const f = (text: string): string => text.toLocaleLowerCase();',
  number: 'export const f = (value: number): string => value.toLocaleString();',
  day: 'export const f = (value: { toLocaleDateString(): string }): string => value.toLocaleDateString();',
  hour: 'export const f = (value: { toLocaleTimeString(): string }): string => value.toLocaleTimeString();',
  timer: 'export const f = (): unknown => setTimeout(() => undefined, 1);',
  repeated: 'export const f = (): unknown => setInterval(() => undefined, 1);',
  soon: 'export const f = (): unknown => setImmediate(() => undefined);',
  sooner: 'export const f = (): void => queueMicrotask(() => undefined);',
  network: "export const f = (): unknown => fetch('http://127.0.0.1');",
  code: "export const f = (): unknown => eval('1');",
  built: "export const f = (): unknown => Function('return 1');",
  compiled: 'export const f = (): unknown => WebAssembly;',
};

it('finds a clock, randomness, locale, timer, network or process in the plan core, and only there', { tags: ['PE-44', 'PE-45', 'PE-59'] }, () => {
  const core = path.join(directory, 'src', 'executors', 'plan');
  const other = path.join(directory, 'src', 'executors', 'file');
  for (const folder of [core, other]) {
    mkdirSync(folder, { recursive: true });
    for (const [name, text] of Object.entries(IMPURE)) writeFileSync(path.join(folder, `${name}.ts`), `${text}\n`);
  }
  // Paths of overrides count from where the settings lie.
  cpSync(path.join(packageRoot(), '.oxlintrc.json'), path.join(directory, '.oxlintrc.json'));
  const found = [
    ...lint(path.join(directory, '.oxlintrc.json')).matchAll(/^src\/executors\/(\w+)\/(\w+)\.ts:\d+:\d+: .*no-restricted-(?:globals|properties)/gm),
  ];
  expect([...new Set(found.map(([, folder, name]) => `${folder}/${name}`))].sort()).toEqual(
    Object.keys(IMPURE)
      .map((name) => `plan/${name}`)
      .sort(),
  );
});
