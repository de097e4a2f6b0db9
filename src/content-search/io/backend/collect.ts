import type { BackendEnd, BackendProcess } from '../../../core/ports/index.ts';

/** Everything that a short-lived program wrote, at most this many bytes of it. */
const OUTPUT_MAX_BYTES = 1024 * 1024;

export interface Collected extends BackendEnd {
  readonly stdout: Buffer;
}

/** Reads a process to its end; one that takes longer than `timeoutMs` or writes without end is killed. */
export async function collect(process: BackendProcess, timeoutMs: number): Promise<Collected> {
  const alarm = setTimeout(() => process.kill(), timeoutMs);
  const blocks: Buffer[] = [];
  let length = 0;
  for await (const block of process.stdout) {
    blocks.push(block);
    length += block.length;
    if (length > OUTPUT_MAX_BYTES) process.kill();
  }
  const end = await process.ended;
  clearTimeout(alarm);
  return { ...end, stdout: Buffer.concat(blocks) };
}
