import { readFileSync } from 'node:fs';
import type { RedisConnection } from './redis-connection.ts';

/**
 * Our Lua scripts: command name → file below `lua/`. The number at the end of a file name is its number of keys, `n` stands
 * for any, which is then the first argument; `row.lua`, which reads a row, stands before all of them.
 * Each file documents its keys, arguments and answers; the codes are mapped in one place, by the caller.
 */
const SCRIPTS = {
  writClaims: 'claims-n',
  writRecords: 'records-n',
  writRelease: 'release-1',
  writRefuse: 'refuse-1',
  writCancel: 'cancel-1',
  writClearCancel: 'clear-cancel-1',
  writDiscard: 'discard-1',
  writRestore: 'restore-1',
  writPark: 'park-1',
  writUnpark: 'unpark-1',
  writPublishRevocations: 'publish-revocations-1',
  writLeaveJob: 'leave-job-4',
  writShowPlan: 'show-plan-1',
  writOpenPlan: 'open-plan-1',
} satisfies Record<keyof ScriptCommands, string>;

type Arg = string | number;

/** Of one task, `claims-n.lua`: the code, then what belongs to it. */
export type ClaimReply = readonly [code: number, value?: string | number | null, crashes?: number, takeovers?: number];

/** Arguments in the order of KEYS and ARGV, as the files document them. */
interface ScriptCommands {
  writClaims(keys: number, ...args: Arg[]): Promise<readonly ClaimReply[]>;
  writRecords(keys: number, ...args: Arg[]): Promise<readonly number[]>;
  writRelease(row: string, epoch: Arg, crashed: Flag, owner: string): Promise<number>;
  writRefuse(...args: [refused: string, result: string, keep: Arg, ...signal: Signal]): Promise<number>;
  writCancel(...args: [row: string, now: Arg, ...life: Life, ...signal: Signal]): Promise<number>;
  writClearCancel(row: string, now: Arg): Promise<number>;
  writDiscard(row: string, result: string): Promise<number>;
  writRestore(...args: [row: string, sha: string, result: string, exp: Arg, now: Arg, ...life: Life]): Promise<number>;
  writPark(parked: string, job: string, started: Arg, until: Arg): Promise<number>;
  writUnpark(parked: string, job: string, started: Arg): Promise<number>;
  writLeaveJob(
    ...args: [
      ...[job: string, ended: string, other: string, events: string],
      ...[jobId: string, state: string, endedAt: Arg, keep: Arg, keepFrom: Arg, says: string, said: string, ...fields: Arg[]],
    ]
  ): Promise<number>;
  writShowPlan(
    ...args: [
      ...[plan: string, generation: Arg, state: string, steps: Arg, current: string, error: string, result: string],
      ...[now: Arg, until: Arg, ...signal: Signal],
    ]
  ): Promise<number>;
  writOpenPlan(...args: [plan: string, seen: Arg, steps: Arg, now: Arg, until: Arg, begins: Arg, ...signal: Signal]): Promise<number>;
  writPublishRevocations(log: string, channel: string, first: Arg, ...tokens: string[]): Promise<readonly [code: number, number: number]>;
}
export type ScriptName = keyof ScriptCommands;

type Flag = '0' | '1';
type Life = [retention: Arg, keep: Arg];
type Signal = [channel: string, taskId: string];

/** A connection that knows our scripts. */
export type ScriptedRedis = RedisConnection & ScriptCommands;

const READS_A_ROW = textOf('row');

const LUA: ReadonlyMap<string, { numberOfKeys?: number; lua: string }> = new Map(
  Object.entries(SCRIPTS).map(([command, file]) => [command, { ...keysOf(file), lua: `${READS_A_ROW}\n${textOf(`lua/${file}`)}` }]),
);

function keysOf(file: string): { readonly numberOfKeys?: number } {
  const keys = file.slice(file.lastIndexOf('-') + 1);
  return keys === 'n' ? {} : { numberOfKeys: Number(keys) };
}

function textOf(file: string): string {
  return readFileSync(new URL(`./${file}.lua`, import.meta.url), 'utf8');
}

/** Teaches a connection our scripts: EVALSHA, with the text sent again when the server does not know it (any more). */
export function withScripts(redis: RedisConnection): ScriptedRedis {
  for (const [command, script] of LUA) redis.defineCommand(command, script);
  if (!isScripted(redis)) throw new TypeError('ioredis did not define the scripts');
  return redis;
}

function isScripted(redis: RedisConnection): redis is ScriptedRedis {
  return Object.keys(SCRIPTS).every((command) => command in redis);
}
