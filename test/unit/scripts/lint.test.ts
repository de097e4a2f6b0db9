import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { packageRoot } from '../../../config/places.ts';

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
function lint(): string {
  try {
    const args = ['--deny-warnings', '-f', 'unix', '-c', path.join(packageRoot(), '.oxlintrc.json'), '.'];
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
