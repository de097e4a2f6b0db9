import { readFileSync } from 'node:fs';

/** Linux's page size on every machine that Node runs on, except some arm64 kernels; those only make the limit stricter. */
const PAGE_BYTES = 4096;

/** Resident size of a process in bytes (proc_pid_statm(5), second field); undefined when it is gone. */
export function residentBytes(pid: number): number | undefined {
  try {
    const pages = Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]);
    return Number.isSafeInteger(pages) && pages > 0 ? pages * PAGE_BYTES : undefined;
  } catch {
    return undefined;
  }
}
