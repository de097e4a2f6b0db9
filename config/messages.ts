import { z } from 'zod';
import { MAX_INGEST_OPS } from '../src/contracts/index.ts';

/** `[messages]`: agent mail, its store and its search (docs/message-search.md, docs/messages-import.md). */

/** What `SEARCH_ENGINE` may say (message-search.md 1.3); empty: whatever is there. */
export const ENGINE_STATES = ['', 'fts5', 'tantivy', 'shadow', 'hybrid', 'postgresql'] as const;

/** An address of a server of PostgreSQL, without a password. */
const POSTGRESQL_ADDRESS = /^postgres(ql)?:\/\/(?![^/@]*:[^/@]*@)(?!\S*[?&]password=)\S*$/;

export const MessageSettings = z.strictObject({
  enabled: z.boolean().default(true).describe('Whether messages are taken in and can be searched; they lie in messages/messages.sqlite of the data directory.'),
  batch_size: z
    .int()
    .min(1)
    .max(100 * MAX_INGEST_OPS)
    .default(2000)
    .describe('Messages after which no further job joins a transaction of the writer.'),
  tantivy: z
    .boolean()
    .default(false)
    .describe(
      "Whether Tantivy's index is kept in messages/tantivy of the data directory and asked first, where its optional package is installed; else searches take SQLite's full text, which finds more on the quality corpus.",
    ),
  vectors: z
    .boolean()
    .default(true)
    .describe('Whether vectors of messages are kept in messages/vectors of the data directory, for the modes semantic, hybrid and hybrid_rerank.'),
  model: z
    .string()
    .max(4096)
    .regex(/^$|^\//, 'must be empty or an absolute path')
    .default('')
    .describe(
      'Directory with the model.onnx and tokenizer.json of a sentence-embedding model; empty: words are hashed (fnv1a-384), which finds shared words and no meaning.',
    ),
  reranker: z
    .string()
    .max(4096)
    .regex(/^$|^\//, 'must be empty or an absolute path')
    .default('')
    .describe('Directory with the model.onnx and tokenizer.json of a cross-encoder, for the mode hybrid_rerank; empty: there is none.'),
  vector_batch: z.int().min(1).max(4096).default(256).describe('Texts whose vectors are made and stored together.'),
  search_deadline_ms: z
    .int()
    .min(50)
    .max(60_000)
    .default(2000)
    .describe('Milliseconds after which a search for words is ended with its process, and answered as degraded.'),
  search_processes: z.int().min(1).max(64).default(2).describe('Processes that search for words at the same time.'),
  engine: z
    .enum(ENGINE_STATES)
    .default('')
    .describe('Engine that searches are held to: fts5, tantivy, shadow, hybrid or postgresql; empty: the best that is there. The variable SEARCH_ENGINE wins.'),
  postgresql_url: z
    .string()
    .max(4096)
    .regex(new RegExp(`^$|${POSTGRESQL_ADDRESS.source}`), 'must be empty or a postgresql:// address without a password')
    .default('')
    .describe(
      'Database of PostgreSQL that gets a copy of the messages and searches it, where messages.engine is postgresql, or is compared, where it is shadow; empty: none (docs/message-postgresql.md).',
    ),
  postgresql_replicas: z
    .array(z.string().max(4096).regex(POSTGRESQL_ADDRESS, 'must be a postgresql:// address without a password'))
    .max(8)
    .default([])
    .describe('Replicas (hot standbys) of that database, which are searched while they have everything that it has; they share its user and password.'),
  read_only: z
    .boolean()
    .default(false)
    .describe(
      'Whether this host has no store of messages: the copy in messages.postgresql_url, which another host writes, answers all searches, and messages are not taken in.',
    ),
  postgresql_password_file: z
    .string()
    .max(4096)
    .regex(/^$|^\//, 'must be empty or an absolute path')
    .default('')
    .describe('File with the password for messages.postgresql_url and nothing else; empty: the server asks for none.'),
});

/** What cannot go together: without a store there must be a copy to search. */
export function messageFaults({
  messages,
}: {
  readonly messages: z.output<typeof MessageSettings>;
}): readonly { readonly path: string[]; readonly message: string }[] {
  if (!messages.read_only || (messages.engine === 'postgresql' && messages.postgresql_url !== '')) return [];
  return [{ path: ['messages', 'read_only'], message: 'needs messages.engine = "postgresql" and messages.postgresql_url' }];
}
