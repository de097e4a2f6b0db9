import path from 'node:path';
import { z } from 'zod';
import { CONTENT_RESULTS_MAX, CONTENT_TIMEOUT_MAX_MS } from '../src/contracts/index.ts';
import { indexFaults, indexSettings, searchedRoot } from './content-index.ts';

/**
 * `[tools.search]` and `[tools.sandbox]`: the `Search` tool and where it may look (local-search-index.md 13.1, under the
 * names that stand there). Enums, ranges and levels are judged here, on load; what lies on the disk is judged when a search
 * comes.
 */

const binary = z
  .string()
  .min(1)
  .max(4096)
  .refine((text) => !text.includes('\0') && (!text.includes('/') || path.posix.isAbsolute(text)), 'must be the name of a program, or an absolute path');

const search = z.strictObject({
  enabled: z
    .boolean()
    .default(false)
    .describe('Whether servers answer content searches, over HTTP and from the queue; `writ search` on the command line needs no server.'),
  binary: binary.default('ugrep').describe('Program that searches files: a name that is looked for in PATH, or an absolute path; ugrep or rg.'),
  fallback_binary: binary.default('rg').describe('Program that is taken where there is no `binary`; a ripgrep comes with Writ.'),
  default_timeout_ms: z
    .int()
    .min(1)
    .max(CONTENT_TIMEOUT_MAX_MS)
    .default(20_000)
    .describe('Time of a search that names none; it ends with what it has found by then.'),
  default_max_results: z.int().min(1).max(CONTENT_RESULTS_MAX).default(200).describe('Most matches and context lines of a search that names no limit.'),
  emit_stats: z.boolean().default(false).describe('Whether answers carry `stats`.'),
  fuzzy_fallback: z
    .boolean()
    .default(false)
    .describe('Whether a search without a match is tried again approximately; only with ugrep, and only when every file could be read.'),
  fuzzy_fallback_levels: z
    .array(z.int().min(1).max(4))
    .max(4)
    .default([1, 2, 3])
    .describe('Edits that the tries of the fuzzy fallback forgive, 1 to 4; the first that finds something is the last.'),
  fuzzy_min_pattern_len: z.int().min(1).max(65_536).default(4).describe('Characters that a pattern must have for the fuzzy fallback.'),
  lanes: z.int().min(0).max(64).default(0).describe('Backend processes that one search runs at the same time; 0: one more than there are cores, at most 3.'),
  max_concurrent: z
    .int()
    .min(1)
    .max(256)
    .default(8)
    .describe('Content searches that the API runs at the same time; further ones are answered 429. Those from the queue count as worker.search_concurrency.'),
  global_ignore_file: z
    .string()
    .refine((text) => text === '' || (path.posix.isAbsolute(text) && !text.includes('\0')), 'must be empty or an absolute path')
    .default('')
    .describe('File with ignore rules for every search, weaker than all others; read when a role starts. Empty: none.'),
  ...indexSettings,
});

const sandbox = z.strictObject({
  allowed_roots: z
    .array(searchedRoot)
    .default([])
    .describe('Directories that servers may search; relative paths of requests start from the first. None: every search is refused.'),
  denied_patterns: z
    .array(z.string().min(1).max(4096))
    .default([])
    .describe('Globs of absolute paths that are never listed nor opened, like "**/private/**"; beside the ones that are always denied.'),
  include_default_denies: z.boolean().default(true).describe('Whether keys and credentials are denied: .ssh, .gnupg, id_rsa*, *.pem, *.key, shadow files.'),
  allow_absolute: z.boolean().default(false).describe('Whether the path of a request may be absolute; it must lie in an allowed root all the same.'),
});

export const ToolSettings = z
  .strictObject({
    search: search
      .prefault({})
      .describe('The `Search` tool: searches in the contents of files (docs/content-search.md), and its index (docs/search-index.md).'),
    sandbox: sandbox.prefault({}).describe('Where the `Search` tool of servers may look.'),
  })
  .superRefine((tools, context) => {
    for (const { path: at, message } of indexFaults(tools)) context.addIssue({ code: 'custom', path: at, message });
  });
