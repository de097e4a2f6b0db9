import type { Libc } from '../libc.ts';
import type { Copier } from './copier.ts';
import type { Resolver } from './resolver.ts';
import type { SharedSync } from './shared-sync.ts';

/** What all objects of one adapter share. */
export interface Toolbox {
  readonly libc: Libc;
  readonly resolver: Resolver;
  readonly sharedSync: SharedSync;
  readonly copier: Copier;
}
