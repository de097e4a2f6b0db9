#!/usr/bin/env node
// Searches files from inside a program: no Redis, no server, no key.
//
//   node examples/content-search/search.mjs <directory> <text>
//
// Exit code: 0 a match, 1 none, 2 an error.
import path from 'node:path';
import { openContentSearch } from 'writ/content-search';

const [directory, text] = process.argv.slice(2);
if (!directory || !text) {
  const help = directory === '--help';
  process[help ? 'stdout' : 'stderr'].write('usage: node examples/content-search/search.mjs <directory> <text>\n');
  process.exit(help ? 0 : 2);
}
const tool = await openContentSearch({ roots: [path.resolve(directory)] });
const found = await tool.search({ pattern: text, fixed_strings: true, max_results: 50, timeout_ms: 10_000 });

if (found.ok) {
  process.stdout.write(found.answer.content);
  process.exitCode = found.answer.matches.length > 0 ? 0 : 1;
} else {
  process.stderr.write(`${found.error.code}: ${found.error.field ?? ''} ${found.error.message}\n`);
  process.exitCode = 2;
}
