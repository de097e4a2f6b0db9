import { readFileSync } from 'node:fs';

/** `npm publish` asks first (`prepublishOnly`): an address that nobody has must not leave the house (docs/decisions, D407). */
for (const file of ['package.json', 'packages/client/package.json']) {
  const { repository } = JSON.parse(readFileSync(file, 'utf8'));
  const { hostname } = new URL(repository.url.replace(/^git\+/, ''));
  if (!hostname.endsWith('.invalid')) continue;
  process.stderr.write(`${file}: repository is still ${repository.url}; docs/changing-writ.md says what to fill in before the first release\n`);
  process.exitCode = 1;
}
