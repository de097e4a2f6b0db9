import { lstatSync, opendirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { saysAbsent, unreadable } from '../../core/unreadable.ts';

/**
 * Whether something stands at a path: the one judge of it, in the place of `fs.existsSync`, which takes what it may not look at for absent.
 *
 * @throws WritError STORAGE_UNAVAILABLE when nobody can say: a directory that this account may not enter (named), a link that leads
 * nowhere or in a circle, a disk that does not answer
 */
export function isThere(place: string): boolean {
  try {
    if (statSync(place, { throwIfNoEntry: false }) !== undefined) return true;
  } catch (error) {
    if (saysAbsent(error)) return false;
    throw unreadable(barred(place), error);
  }
  // A link that leads nowhere is a name, too: whoever made it has something somewhere.
  if (!isName(place)) return false;
  throw unreadable(place, new Error('it is a link that leads nowhere'));
}

/** The text of a file, `undefined` where there is none. Throws as `isThere`. */
export function readIfThere(file: string): string | undefined {
  if (!isThere(file)) return undefined;
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    // Gone since.
    if (saysAbsent(error)) return undefined;
    throw unreadable(file, error);
  }
}

/** Makes sure that this account may list and enter a directory. Throws as `isThere`. */
export function assertReadable(directory: string): void {
  try {
    opendirSync(directory).closeSync();
    enter(directory);
  } catch (error) {
    throw unreadable(directory, error);
  }
}

function isName(place: string): boolean {
  try {
    return lstatSync(place, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

/** The outermost directory on the way to a place that this account may not enter; else the place itself. */
function barred(place: string): string {
  const above: string[] = [];
  for (let at = path.dirname(path.resolve(place)); above[0] !== at; at = path.dirname(at)) above.unshift(at);
  return above.find((directory) => !mayEnter(directory)) ?? place;
}

/** Throws where this account may not enter; `path.join` would take the dot away. */
function enter(directory: string): void {
  statSync(`${directory}/.`);
}

function mayEnter(directory: string): boolean {
  try {
    enter(directory);
    return true;
  } catch {
    return false;
  }
}
