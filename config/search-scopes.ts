import path from 'node:path';
import { z } from 'zod';

/**
 * `[search.scopes.<id>]`: what each scope identifier stands for (search-executor.md 6). The identifier itself is opaque:
 * any text of 1 to 128 characters that a producer can write into `inputs.target_scope`.
 */

const place = z
  .string()
  .refine((text) => path.posix.isAbsolute(text) && !text.includes('\0'), 'must be an absolute path')
  .refine(
    (text) => path.posix.normalize(text) === text && (text === '/' || !text.endsWith('/')),
    'must be written plainly: no "." or "..", no double and no closing slash',
  );

const column = z.string().min(1).max(256);

const files = z.strictObject({ kind: z.literal('files'), path: place });

const mailFolder = z.strictObject({ kind: z.literal('emails'), store: z.enum(['maildir', 'mbox', 'eml']), path: place });

const imap = z.strictObject({
  kind: z.literal('emails'),
  store: z.literal('imap'),
  host: z.string().min(1).max(253),
  port: z.int().min(1).max(65_535).default(993),
  security: z.enum(['tls', 'starttls']).default('tls'),
  user: z.string().min(1).max(256),
  password_file: place,
  mailbox: z.string().min(1).max(512).default('INBOX'),
  ca_file: z.union([z.literal(''), place]).default(''),
});

const dataset = z
  .strictObject({
    kind: z.literal('datasets'),
    format: z.enum(['csv', 'jsonl', 'parquet', 'sqlite']),
    path: place,
    table: z.string().max(256).default(''),
    primary_key: column,
    numeric: z.array(column).default([]),
  })
  .superRefine(({ format, table, numeric }, context) => {
    const refuse = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
    if (format === 'sqlite' && table === '') refuse('table', 'must name the table of an SQLite file');
    if (format !== 'sqlite' && table !== '') refuse('table', 'is for SQLite files only');
    if (format !== 'csv' && numeric.length > 0) refuse('numeric', 'is for CSV files only; the other formats know their types');
  });

const emails = z.discriminatedUnion('store', [mailFolder, imap]);

export const SearchScopes = z.record(
  z.string().min(1, 'an id must have 1 to 128 characters').max(128, 'an id must have 1 to 128 characters'),
  z.discriminatedUnion('kind', [files, emails, dataset]),
);
