import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** A message of the quality corpus. `created_at` is RFC 3339 in UTC with microseconds. */
export interface CorpusMessage {
  readonly id: number;
  readonly project: string;
  readonly thread_id: string | null;
  readonly from: string;
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly bcc: readonly string[];
  readonly importance: 'low' | 'normal' | 'high' | 'urgent';
  readonly ack_required: boolean;
  readonly created_at: string;
  readonly subject: string;
  readonly body_md: string;
}

/** Filters of a judged query: names as in SearchQuery, but the project by its slug. */
export interface CorpusFilters {
  readonly importance?: readonly string[];
  readonly sender_name?: string;
  readonly recipient_name?: string;
  readonly thread_id?: string;
  readonly ack_required?: boolean;
  readonly project?: string;
}

/** A query with what its asker wants, and the ids of messages by grade: 3 the answer, 2 helps, 1 touches it, 0 looked at and no use. */
export interface JudgedQuery {
  readonly id: string;
  readonly split: 'tuning' | 'held_out';
  readonly class: string;
  readonly text: string;
  readonly filters: CorpusFilters;
  readonly intent: string;
  readonly grades: Readonly<Record<'0' | '1' | '2' | '3', readonly number[]>>;
}

const file = (name: string): Buffer => readFileSync(new URL(name, import.meta.url));
const lines = (name: string): unknown[] =>
  file(name)
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): unknown => JSON.parse(line));

/** All messages, by ascending id. */
export const corpusMessages = (): CorpusMessage[] => lines('messages.jsonl') as CorpusMessage[];

/** All judged queries. */
export const judgedQueries = (): JudgedQuery[] => lines('judgments.jsonl') as JudgedQuery[];

/** SHA-256 (hex) of one of the two files, over its bytes. */
export const corpusHash = (name: 'messages.jsonl' | 'judgments.jsonl'): string => createHash('sha256').update(file(name)).digest('hex');

/** The grade of each judged message of a query. */
export const gradesOf = (query: JudgedQuery): Map<number, number> =>
  new Map(Object.entries(query.grades).flatMap(([grade, ids]) => ids.map((id): [number, number] => [id, Number(grade)])));
