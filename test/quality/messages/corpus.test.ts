import { describe, expect, it } from 'vitest';
import { type CorpusMessage, corpusHash, corpusMessages, gradesOf, type JudgedQuery, judgedQueries } from './corpus.ts';

/** Committed before any ranking code. Whoever changes a message or a grade changes the yardstick, and says so in docs/search-quality.md. */
const HASHES = {
  'messages.jsonl': '29d5e83e51ca11f7bed68f8c0b9a18a821e9ab55e0a8878582d374431f4848aa',
  'judgments.jsonl': '65a297b333c64282393519c20d60baaa5312e25aa0723bd82f075f469a5e087d',
} as const;

const messages = corpusMessages();
const queries = judgedQueries();
const byId = new Map(messages.map((message) => [message.id, message]));

function passes({ filters }: JudgedQuery, message: CorpusMessage): boolean {
  const named = (name: string): boolean => [...message.to, ...message.cc, ...message.bcc].includes(name);
  return (
    (filters.importance === undefined || filters.importance.includes(message.importance)) &&
    (filters.sender_name === undefined || filters.sender_name === message.from) &&
    (filters.recipient_name === undefined || named(filters.recipient_name)) &&
    (filters.thread_id === undefined || filters.thread_id === message.thread_id) &&
    (filters.ack_required === undefined || filters.ack_required === message.ack_required) &&
    (filters.project === undefined || filters.project === message.project)
  );
}

describe('the quality corpus of messages', () => {
  it.each(Object.entries(HASHES))('has %s byte for byte as it was judged', { tags: ['MS-172'] }, (name, hash) => {
    expect(corpusHash(name as keyof typeof HASHES)).toBe(hash);
  });

  it('has at least 150 messages with ids of their own, in five projects', () => {
    expect(messages.length).toBeGreaterThanOrEqual(150);
    expect(byId.size).toBe(messages.length);
    expect(new Set(messages.map(({ project }) => project)).size).toBe(5);
  });

  it('has at least 40 queries, half for tuning and half held out', () => {
    expect(queries.length).toBeGreaterThanOrEqual(40);
    expect(queries.filter(({ split }) => split === 'tuning')).toHaveLength(queries.length / 2);
    expect(queries.filter(({ split }) => split === 'held_out')).toHaveLength(queries.length / 2);
  });

  it.each(queries.map((query) => [query.id, query] as const))('%s has twenty grades of messages that exist, and an answer among them', (_id, query) => {
    const grades = gradesOf(query);
    expect(grades.size).toBeGreaterThanOrEqual(20);
    expect(Object.values(query.grades).flat()).toHaveLength(grades.size);
    expect([...grades.keys()].filter((id) => !byId.has(id))).toEqual([]);
    expect(query.grades['3']).not.toEqual([]);
  });

  it('calls nothing relevant that a filter of its query takes out', () => {
    const wrong = queries.flatMap((query) =>
      [...gradesOf(query)].filter(([id, grade]) => {
        const message = byId.get(id);
        return grade > 0 && message !== undefined && !passes(query, message);
      }),
    );
    expect(wrong).toEqual([]);
  });
});
