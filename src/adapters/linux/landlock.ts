import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import koffi from 'koffi';
import { messageOf, WritError } from '../../core/errors.ts';

/**
 * Landlock (landlock(7)): a thread takes rights away from itself, for good and for all that it will ever start. Whoever
 * wins a race against a path check then still wins nothing, because the kernel refuses the file that the path leads to.
 */

const SYS_CREATE_RULESET = 444;
const SYS_ADD_RULE = 445;
const SYS_RESTRICT_SELF = 446;
const CREATE_RULESET_VERSION = 1;
const RULE_PATH_BENEATH = 1;
const PR_SET_NO_NEW_PRIVS = 38;

/** LANDLOCK_ACCESS_FS_*: rights that a file has, and those that only a directory has. */
const EXECUTE = 1n << 0n;
const WRITE_FILE = 1n << 1n;
const READ_FILE = 1n << 2n;
const READ_DIR = 1n << 3n;

/** Bits of rights that the version of the kernel's Landlock knows: all of them are taken away. */
const FS_BITS = [13n, 13n, 14n, 15n, 15n, 16n] as const;
/** bind and connect of TCP, from version 4 on. */
const NET_SINCE = 4;
const NET_ALL = 3n;
/** Abstract sockets of, and signals to, processes outside, from version 6 on. */
const SCOPE_SINCE = 6;
const SCOPE_ALL = 3n;

export interface LandlockRules {
  /** Files that may be read, and directories beneath which everything may be read and started. Those that do not exist are passed over. */
  readonly read: readonly string[];
  /** Devices that may be read and written. */
  readonly devices: readonly string[];
}

interface Calls {
  syscall(...args: readonly unknown[]): number;
  prctl(option: number, arg: number, zero2: number, zero3: number, zero4: number): number;
}

/** The version of Landlock that the kernel has; 0 where it has none, or has it switched off. */
export function landlockVersion(): number {
  if (process.platform !== 'linux') return 0;
  return Math.max(0, calls().syscall(SYS_CREATE_RULESET, 'void *', null, 'size_t', 0, 'unsigned int', CREATE_RULESET_VERSION));
}

/**
 * From here on the calling thread, and every process and thread that it starts, can open nothing but what the rules name:
 * no other file, no writing, no TCP, no signal to a process outside.
 *
 * @returns the version of Landlock that does it; 0: the kernel has none, and nothing has changed
 * @throws WritError PLATFORM_UNSUPPORTED when the kernel has it and refuses all the same
 */
export function confineToReading({ read, devices }: LandlockRules): number {
  const version = landlockVersion();
  if (version === 0) return 0;
  const { syscall, prctl } = calls();
  const all = (1n << (FS_BITS[version] ?? 16n)) - 1n;
  const ruleset = demand('create a ruleset', syscall(SYS_CREATE_RULESET, 'void *', rulesetAttributes(version, all), 'size_t', 24, 'unsigned int', 0));
  try {
    for (const path of read) allow(ruleset, path, EXECUTE | READ_FILE, READ_DIR);
    for (const path of devices) allow(ruleset, path, READ_FILE | WRITE_FILE, 0n);
    demand('give up new privileges', prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
    demand('restrict itself', syscall(SYS_RESTRICT_SELF, 'int', ruleset, 'unsigned int', 0));
  } finally {
    closeSync(ruleset);
  }
  return version;
}

/** struct landlock_ruleset_attr. What follows the part that an older kernel knows must be zero, and is. */
function rulesetAttributes(version: number, all: bigint): Buffer {
  const attributes = Buffer.alloc(24);
  attributes.writeBigUInt64LE(all, 0);
  attributes.writeBigUInt64LE(version >= NET_SINCE ? NET_ALL : 0n, 8);
  attributes.writeBigUInt64LE(version >= SCOPE_SINCE ? SCOPE_ALL : 0n, 16);
  return attributes;
}

const O_PATH = 0x200000;

function allow(ruleset: number, path: string, fileRights: bigint, directoryRights: bigint): void {
  const fd = openOrNothing(path);
  if (fd === undefined) return;
  try {
    const rule = Buffer.alloc(12);
    rule.writeBigUInt64LE(fstatSync(fd).isDirectory() ? fileRights | directoryRights : fileRights, 0);
    rule.writeInt32LE(fd, 8);
    demand(`allow ${path}`, calls().syscall(SYS_ADD_RULE, 'int', ruleset, 'int', RULE_PATH_BENEATH, 'void *', rule, 'unsigned int', 0));
  } finally {
    closeSync(fd);
  }
}

function openOrNothing(path: string): number | undefined {
  try {
    return openSync(path, O_PATH | constants.O_RDONLY);
  } catch {
    return undefined;
  }
}

function demand(what: string, result: number): number {
  if (result < 0) throw new WritError('PLATFORM_UNSUPPORTED', `Landlock could not ${what} (errno ${-result})`);
  return result;
}

let bound: Calls | undefined;

/** Results below zero are `-errno`. */
function calls(): Calls {
  bound ??= bind();
  return bound;
}

function bind(): Calls {
  try {
    const library = koffi.load(null);
    const syscall = library.func('long syscall(long number, ...)');
    const prctl = library.func('int prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)');
    const negated = (result: number): number => (result < 0 ? -koffi.errno() : result);
    return { syscall: (...args) => negated(syscall(...args)), prctl: (...args) => negated(prctl(...args)) };
  } catch (error) {
    throw new WritError('PLATFORM_UNSUPPORTED', `the C library cannot be called: ${messageOf(error)}`, { cause: error });
  }
}
