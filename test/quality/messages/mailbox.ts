import type { IngestOp } from '../../../src/contracts/index.ts';
import { createWriteEngine } from '../../../src/messages/store/write/engine.ts';
import { type CorpusMessage, corpusMessages } from './corpus.ts';

/** Writes the corpus into a new database, through the writer that everybody uses; messages keep their ids. */
export function writeCorpus(file: string): void {
  const engine = createWriteEngine(file);
  try {
    engine.apply([{ at: 1, ops: corpusMessages().map(opOf) }]);
  } finally {
    engine.close();
  }
}

function opOf(message: CorpusMessage): IngestOp {
  const { id, project, from, thread_id, subject, body_md, importance, ack_required, created_at } = message;
  const [to, cc, bcc] = [[...message.to], [...message.cc], [...message.bcc]];
  const created_ts = Date.parse(created_at) * 1000;
  return {
    op: 'message',
    project,
    key: `corpus-${id}`,
    id,
    from,
    to,
    cc,
    bcc,
    thread_id,
    subject,
    body_md,
    importance,
    ack_required,
    created_ts,
    attachments: [],
  };
}
