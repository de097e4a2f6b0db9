import koffi from 'koffi';

/** `renameat2` by architecture, and the audit word that a filter sees for it. */
const CALLS: Readonly<Record<string, { readonly number: number; readonly audit: number }>> = {
  x64: { number: 316, audit: 0xc000003e },
  arm64: { number: 276, audit: 0xc00000b7 },
};

const PR_SET_NO_NEW_PRIVS = 38;
const SECCOMP_SET_MODE_FILTER = 1;
const SECCOMP_FILTER_FLAG_TSYNC = 1;
const SYS_SECCOMP: Readonly<Record<string, number>> = { x64: 317, arm64: 277 };

const LOAD_WORD = 0x20;
const JUMP_IF_EQUAL = 0x15;
const RETURN = 0x06;
const ALLOW = 0x7fff0000;
const ERRNO = 0x00050000;
const ENOSYS = 38;
const OFFSET_NUMBER = 0;
const OFFSET_ARCH = 4;

/**
 * Makes the kernel answer ENOSYS to `renameat2` in this process and all its threads, as a kernel without
 * RENAME_NOREPLACE would: a seccomp filter, which cannot be taken off again.
 *
 * @throws Error where the filter cannot be set
 */
export function forbidRenameat2(): void {
  const call = CALLS[process.arch];
  const seccomp = SYS_SECCOMP[process.arch];
  if (!call || seccomp === undefined) throw new Error(`no system call numbers for ${process.arch}`);
  const program = instructions([
    [LOAD_WORD, 0, 0, OFFSET_ARCH],
    [JUMP_IF_EQUAL, 0, 3, call.audit],
    [LOAD_WORD, 0, 0, OFFSET_NUMBER],
    [JUMP_IF_EQUAL, 0, 1, call.number],
    [RETURN, 0, 0, ERRNO | ENOSYS],
    [RETURN, 0, 0, ALLOW],
  ]);
  const libc = koffi.load('libc.so.6');
  const Program = koffi.struct({ length: 'uint16_t', filter: 'uint8_t *' });
  const prctl = libc.func('int prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)');
  const syscall = libc.func('syscall', 'long', ['long', 'unsigned long', 'unsigned long', koffi.pointer(Program)]);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) !== 0) throw new Error(`no new privileges: errno ${koffi.errno()}`);
  const answer: unknown = syscall(seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, { length: program.length / 8, filter: program });
  if (answer !== 0) throw new Error(`the seccomp filter was refused: errno ${koffi.errno()}`);
}

/** `struct sock_filter`: u16 code, u8 jump if true, u8 jump if false, u32 operand. */
function instructions(list: readonly (readonly [code: number, yes: number, no: number, operand: number])[]): Buffer {
  const program = Buffer.alloc(8 * list.length);
  for (const [index, [code, yes, no, operand]] of list.entries()) {
    const at = 8 * index;
    program.writeUInt16LE(code, at);
    program.writeUInt8(yes, at + 2);
    program.writeUInt8(no, at + 3);
    program.writeUInt32LE(operand >>> 0, at + 4);
  }
  return program;
}
