import { readFileSync } from 'node:fs';

/**
 * Exit code 0 when node_modules holds what package-lock.json says. npm writes node_modules/.package-lock.json last, so
 * an interrupted install has none. Compared by content: a fresh checkout changes times, not packages.
 * Plain JavaScript: it runs before anything is installed, on every start.
 */
function packages(file) {
  try {
    return JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')).packages;
  } catch {
    return undefined;
  }
}

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const nodeFits = major > 20 || (major === 20 && minor >= 19);
const wanted = packages('../package-lock.json');
const present = packages('../node_modules/.package-lock.json');

function isThere([name, { version, integrity, optional, link }]) {
  const found = present[name];
  // An optional package for another platform is legally absent.
  if (found === undefined) return name === '' || optional === true || link === true;
  return found.version === version && found.integrity === integrity;
}

process.exitCode = nodeFits && wanted !== undefined && present !== undefined && Object.entries(wanted).every(isThere) ? 0 : 1;
