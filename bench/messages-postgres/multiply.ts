import { SCHEMA } from '../../src/messages/engines/postgresql/schema.ts';
import type { TestPostgresql } from '../../test/support/postgresql.ts';

/** Further ids of a message are this far apart. */
const APART = 1_000_000_000;
/** Indexes that are quicker made anew than kept; that of substrings, which no case asks, would take an hour. */
const DROPPED = ['messages_substrings', 'messages_words', 'messages_recipients', 'messages_bcc', 'messages_thread'];

/** A copy of so many times the messages, as a server has it after years: each word in the same share of them. */
export function multiply(server: TestPostgresql, database: string, times: number): void {
  server.psql(
    database,
    `SET search_path = ${SCHEMA}, public; SET maintenance_work_mem = '1GB';
     DROP INDEX IF EXISTS ${DROPPED.join()};
     INSERT INTO messages (id, project_id, sender_id, thread_id, subject, body_md, importance, ack_required, created_ts, recipients, cc, bcc, words, word_count)
     SELECT id + k * ${APART}::bigint, project_id, sender_id, thread_id, subject, body_md, importance, ack_required, created_ts + k, recipients, cc, bcc, words, word_count
     FROM messages, generate_series(1, ${times - 1}) k;
     UPDATE mirror SET messages = messages * ${times}, words = words * ${times};
     CREATE INDEX messages_words ON messages USING gin (words);
     CREATE INDEX messages_recipients ON messages USING gin (recipients);
     CREATE INDEX messages_bcc ON messages USING gin (bcc);
     CREATE INDEX messages_thread ON messages USING hash (thread_id);`,
  );
}
