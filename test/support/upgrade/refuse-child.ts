import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startCommand, writArgs } from '../writ-process.ts';
import { BASE, DATA, PLACE } from './ground.ts';
import { inodesIn } from './inodes.ts';
import { raiseSchema, schemasIn } from './schemas.ts';

/**
 * Starts a program on data whose schemas are newer than those that it reads: an earlier one on what this one left, or this one
 * on schemas raised by a hundred. Run in a mount namespace of its own: `<directory> [compiled writ.js of the earlier program]`.
 */
export interface Refused {
  /** What each role said, by its log. */
  readonly said: Readonly<Record<string, string>>;
  readonly filesLeft: boolean;
  /** Databases that have another schema now. */
  readonly changed: readonly string[];
}

const REFUSAL = /the database \S+ has schema \d+, this version of Writ reads \d+/;
const STORAGE = 'STORAGE_UNAVAILABLE';
const LOOK_MS = 100;
const [directory = '', program] = process.argv.slice(2);

execFileSync('mount', ['--bind', directory, PLACE]);
if (program === undefined) for (const file of Object.keys(schemasIn(DATA))) raiseSchema(path.join(DATA, file));
const before = { files: inodesIn(BASE), schemas: schemasIn(DATA) };
const logs = path.join(DATA, 'logs');
rmSync(logs, { recursive: true, force: true });
const words = ['--data-dir', DATA, 'up'];
const up = startCommand(process.execPath, program === undefined ? writArgs(words) : [program, ...words], { cwd: PLACE, env: { ...process.env, HOME: PLACE } });
let ended = false;
void up.ended.then(() => (ended = true));
while (!ended && !['kernel', 'worker'].every((role) => role in refusals())) await delay(LOOK_MS);
up.child.kill('SIGTERM');
await up.ended;
const said = refusals();
const after = { files: inodesIn(BASE), schemas: schemasIn(DATA) };
const filesLeft = JSON.stringify(before.files) === JSON.stringify(after.files);
const changed = Object.keys(before.schemas).filter((file) => before.schemas[file] !== after.schemas[file]);
process.stdout.write(JSON.stringify({ said, filesLeft, changed } satisfies Refused));

/** Of `writ up` itself, and of the roles whose logs it leads aside. */
function refusals(): Record<string, string> {
  const names = existsSync(logs) ? readdirSync(logs).filter((name) => name.endsWith('.log')) : [];
  const texts = [['up', up.said()] as const, ...names.map((name) => [name.replace(/\.log$/, ''), readFileSync(path.join(logs, name), 'utf8')] as const)];
  return Object.fromEntries(
    texts.flatMap(([role, text]) => {
      const [sentence] = REFUSAL.exec(text) ?? [];
      return sentence === undefined ? [] : [[role, `${text.includes(STORAGE) ? `${STORAGE} ` : ''}${sentence}`]];
    }),
  );
}
