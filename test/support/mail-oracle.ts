import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface OracleMessage {
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly body: string;
}

interface OracleAnswer {
  readonly messages: readonly OracleMessage[];
  readonly mboxes: readonly (readonly string[])[];
  readonly dates: readonly (number | null)[];
}

interface OracleCases {
  readonly messages?: readonly Buffer[];
  readonly mboxes?: readonly Buffer[];
  readonly dates?: readonly string[];
}

/** Asks Python's `email` and `mailbox` packages about many cases in one process. */
export function askPython({ messages = [], mboxes = [], dates = [] }: OracleCases): OracleAnswer {
  const base64 = (all: readonly Buffer[]) => all.map((bytes) => bytes.toString('base64'));
  const script = fileURLToPath(new URL('./mail-oracle.py', import.meta.url));
  const input = JSON.stringify({ messages: base64(messages), mboxes: base64(mboxes), dates });
  const { status, stdout, stderr } = spawnSync('python3', [script], { input, encoding: 'utf8', maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(`python3 failed: ${stderr}`);
  return JSON.parse(stdout);
}
